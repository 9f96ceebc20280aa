import { nextPosition } from "#lib/domain/benefit.ts";
import type { Actor } from "#lib/store/activity.ts";
import { decideAgain } from "#lib/store/again.ts";
import * as benefits from "#lib/store/benefits.ts";
import type { Writer } from "#lib/store/table.ts";

type DemoBenefit = {
  readonly community: number;
  readonly name: string;
  readonly description?: string;
  readonly tiers: readonly number[];
  readonly isArchived?: true;
};

const demoBenefits: readonly DemoBenefit[] = [
  { community: 1, name: "Monthly tasting notes", description: "By e-mail, on the first Friday.", tiers: [11, 12, 13] },
  { community: 1, name: "Two bottles a season", description: "Small batches, sent to your door.", tiers: [12, 13] },
  { community: 1, name: "Your name on a barrel", tiers: [12] },
  { community: 1, name: "A week at the palenque", description: "Travel is not included.", tiers: [13] },
  { community: 1, name: "Paper newsletter", tiers: [11, 12, 13], isArchived: true },
  { community: 1, name: "Distiller’s call", description: "Not decided yet who gets it.", tiers: [] },
  { community: 2, name: "Early access to single casks", tiers: [21, 22] },
  { community: 2, name: "A share of the cask", description: "Bottled after ten years.", tiers: [22] },
];

/** Adds benefits to communities without any: assigned to one tier, to several and to none, and an archived one. */
export async function addBenefits(table: Writer, by: Actor): Promise<void> {
  for (const [n, { community: id, name, description = "", tiers, isArchived }] of demoBenefits.entries()) {
    const at = new Date(by.now.getTime() + n * 1000);
    const benefit = await decideAgain(table, async () => {
      const community = await benefits.open(table, id);
      const fields = { name, description, position: nextPosition(community.benefits), tier_ids: [...tiers] };
      return benefits.add(table, community, fields, { ...by, now: at });
    });
    if (isArchived)
      await decideAgain(table, () => benefits.update(table, benefit, { status: "archived" }, { ...by, now: at }));
  }
}
