import * as v from "valibot";
import { csvLine } from "#lib/domain/csv.ts";
import type { Member } from "#lib/domain/member.ts";
import { MemberImport } from "#lib/domain/member-import.ts";
import { labelOf, MemberLabel } from "#lib/domain/member-label.ts";
import { comparableEmail } from "#lib/values/email.ts";
import { AnyObject } from "#lib/values/metadata.ts";
import type { Odis } from "../odis.ts";
import { writerOf } from "./csv.ts";
import type { Kind } from "./import.ts";
import { memberColumns, recordOf } from "./member-records.ts";
import { writeTo } from "./output.ts";
import type { Progress } from "./progress.ts";
import type { Opened } from "./session.ts";

const members = "/odis/v1/communities/{community_id}/members";

/** Maps tier ids in a file to the ids of the tiers to import into. */
export type TierIds = ReadonlyMap<number, number>;

/**
 * Imports members of a community. Members that are already imported do not change, so rows can be sent again. The tier
 * of a row is the one that `tierIds` maps its `tier_id` to, otherwise the tier with that id, otherwise the community's
 * only tier named `tier_name`.
 */
export async function memberImport(
  { odis, publicOdis }: Opened,
  community_id: number,
  tierIds: TierIds,
): Promise<Kind> {
  const params = { path: { community_id } };
  const query = { status: "all", per: 100 } as const;
  const list = { params: { ...params, query } };
  const { data: tiers } = await publicOdis.get("/odis/v1/communities/{community_id}/tiers", list);
  const tierOf = ({ tier_id, tier_name }: Record<string, unknown>) => {
    const named = tiers.filter(({ name }) => name === tier_name);
    if (tierIds.has(Number(tier_id))) return tierIds.get(Number(tier_id));
    return tiers.some(({ id }) => id === tier_id) || named.length !== 1 ? tier_id : named[0]?.id;
  };
  return {
    columns: memberColumns,
    prepare(record) {
      if (!v.is(AnyObject, record)) return record;
      const { tier_name: _, ...rest } = record;
      const tier_id = tierOf(record);
      return tier_id === undefined ? rest : { ...rest, tier_id };
    },
    claimsOf: claimsOfMember,
    schema: MemberImport,
    target: [`community ${community_id}`, ...[...tierIds].map((pair) => pair.join("=")).toSorted()].join(" "),
    async send(rows) {
      const body = { members: rows.map(({ record }) => record as Record<string, unknown>) };
      const { data } = await odis.post(`${members}/import`, { params, body });
      return data.map(({ outcome, errors }) => ({ outcome, ...(errors && { errors: errors.map(withinRecord) }) }));
    },
  };
}

const Claiming = v.object({
  id: v.optional(v.number()),
  stripe_customer_id: v.nullish(v.string()),
  user: v.object({ id: v.optional(v.number()), email: v.optional(v.pipe(v.string(), v.trim())) }),
});

/** The person, the id and the Stripe customer of a record. */
function claimsOfMember(record: unknown): string[] {
  const { success, output } = v.safeParse(Claiming, record);
  if (!success) return [];
  const { id, stripe_customer_id, user } = output;
  return [
    ...(user.id === undefined ? [] : [`/user ${user.id}`]),
    ...(user.email ? [`/user ${comparableEmail(user.email)}`] : []),
    ...(id === undefined ? [] : [`/id ${id}`]),
    ...(stripe_customer_id == null ? [] : [`/stripe_customer_id ${stripe_customer_id}`]),
  ];
}

/** Removes the position in the request from a pointer, because the user sees only the record. */
const withinRecord = <E extends { readonly pointer: string }>(error: E): E => ({
  ...error,
  pointer: error.pointer.replace(/^\/members\/\d+/, ""),
});

type Export = {
  readonly file: string | undefined;
  readonly isWithoutStripe: boolean;
  /** Whether to write the shipping labels of members who get parcels, and have an address. */
  readonly isLabels: boolean;
  readonly progress: Progress;
};

/** Members who get parcels, and have an address. */
const parcels = { access: true, requires_shipping_address: true, has_shipping_address: true } as const;

const labels = {
  header: `${Object.keys(MemberLabel.entries).join(",")}\r\n`,
  lineOf: (member: Member) => csvLine(Object.values(labelOf(member, member.membership_tier.name))),
};

/** Writes all members of a community to a file or to standard output, oldest first. Returns how many. */
export async function exportMembers(
  odis: Odis,
  community_id: number,
  { file, isWithoutStripe, isLabels, progress }: Export,
): Promise<number> {
  const records = writerOf(file, memberColumns);
  const ofRecords = {
    header: records.header,
    lineOf: (member: Member) => records.lineOf(recordOf(member, isWithoutStripe)),
  };
  const { header, lineOf } = isLabels ? labels : ofRecords;
  let count = 0;
  const query = { sort: "created_at" as const, ...(isLabels && parcels) };
  try {
    await writeTo(file, async (write) => {
      await write(header);
      for await (const page of odis.pages(members, { params: { path: { community_id }, query } })) {
        if (count === 0) progress.start(page.total);
        count += page.data.length;
        progress.add(page.data.length, page.total);
        await write(page.data.map(lineOf).join(""));
      }
    });
  } finally {
    progress.stop();
  }
  return count;
}
