import { countOf, moneyOf, numberOf } from "../format.ts";
import type { Movement, MovementPage, Odis } from "./odis.ts";

type Access = NonNullable<Movement["access"]>;
type Kind = NonNullable<Movement["monthly"]>["kind"];

/** What the owner reads about the movements of a choice. */
type Choice = { readonly text: string; readonly filter: { readonly access: Access } | { readonly kind: Kind } };

/** The choices of movements, by the name that is in the address. */
export const choices = {
  joined: { text: "Joined", filter: { access: "begun" } },
  left: { text: "Left", filter: { access: "ended" } },
  new: { text: "Paid for the first time", filter: { kind: "new" } },
  reactivated: { text: "Paid again", filter: { kind: "reactivated" } },
  expansion: { text: "Paid more", filter: { kind: "expansion" } },
  contraction: { text: "Paid less", filter: { kind: "contraction" } },
  churned: { text: "Stopped paying", filter: { kind: "churned" } },
} as const satisfies Record<string, Choice>;

export type ChoiceName = keyof typeof choices;

/** `8 joined`, or `12 changes` for all. */
export const countText = (count: number, name: ChoiceName | undefined): string =>
  name === undefined ? countOf(count, "change") : `${numberOf(count)} ${choices[name].text.toLowerCase()}`;

/** `Got access, pays $25.00 a month` */
export function movementText({ access, monthly }: Movement): string {
  const texts = [
    ...(access === null ? [] : [access === "begun" ? "got access" : "lost access"]),
    ...(monthly === null ? [] : [amountText(monthly)]),
  ];
  const text = texts.join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function amountText({ kind, before_cents, after_cents }: NonNullable<Movement["monthly"]>): string {
  const [before, after] = [before_cents, after_cents].map(moneyOf);
  if (kind === "churned") return `no longer pays ${before} a month`;
  return kind === "expansion" || kind === "contraction"
    ? `pays ${after} a month instead of ${before}`
    : `pays ${after} a month${kind === "reactivated" ? " again" : ""}`;
}

type Query = { readonly from?: string | undefined; readonly to?: string | undefined };

/** Reads a page of the movements, newest first. */
export const readMovements = (
  odis: Odis,
  communityId: number,
  name: ChoiceName | undefined,
  { from, to }: Query,
  { cursor, signal }: { readonly cursor: string | undefined; readonly signal?: AbortSignal | undefined },
): Promise<MovementPage> =>
  odis.get("/odis/v1/communities/{community_id}/movements", {
    params: {
      path: { community_id: communityId },
      query: {
        per: 100,
        ...(name && choices[name].filter),
        ...(from && { from }),
        ...(to && { to }),
        ...(cursor && { cursor }),
      },
    },
    ...(signal && { signal }),
  });
