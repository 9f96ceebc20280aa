import type Stripe from "stripe";
import * as v from "valibot";
import type { Account } from "./account.ts";
import { invalid, noSuch } from "./failure.ts";
import { list } from "./objects/common.ts";
import { integer, text, timestamp } from "./parameters.ts";
import type { Kind, Tables } from "./state.ts";

const range = {
  gt: v.optional(timestamp),
  gte: v.optional(timestamp),
  lt: v.optional(timestamp),
  lte: v.optional(timestamp),
};

/** The parameters of every list. */
export const paging = {
  limit: v.optional(integer({ min: 1, max: 100 })),
  starting_after: v.optional(text),
  ending_before: v.optional(text),
  created: v.optional(v.union([timestamp, v.strictObject(range)])),
};
const Paging = v.strictObject(paging);
type Paging = v.InferOutput<typeof Paging>;

/** Objects of a kind, newest first. */
export function newest<K extends Kind>(account: Account, kind: K, keep: (row: Tables[K]) => boolean): Tables[K][] {
  return [...account.rows(kind)]
    .filter(keep)
    .toReversed()
    .toSorted((a, b) => createdAt(b) - createdAt(a));
}

const createdAt = (row: object) => ("created" in row ? Number(row.created) : "date" in row ? Number(row.date) : 0);

type Wanted<K extends Kind> = {
  readonly kind: K;
  readonly url: string;
  readonly params: Paging;
  readonly keep: (row: Tables[K]) => boolean;
};

/** A page of objects, newest first, also with `ending_before`. */
export function page<K extends Kind>(
  account: Account,
  { kind, url, params, keep }: Wanted<K>,
): Stripe.ApiList<Tables[K]> {
  const { limit = 10, starting_after: after, ending_before: before, created } = params;
  if (after !== undefined && before !== undefined)
    throw invalid("You cannot parameterize on both starting_after and ending_before.");
  const rows = newest(account, kind, (row) => keep(row) && isWithin(createdAt(row), created));

  if (before !== undefined) {
    const preceding = rows.slice(0, position(rows, kind, before, "ending_before"));
    return list(url, preceding.slice(-limit), preceding.length > limit);
  }
  const following = after === undefined ? rows : rows.slice(position(rows, kind, after, "starting_after") + 1);
  return list(url, following.slice(0, limit), following.length > limit);
}

function position(rows: readonly { readonly id: string }[], kind: string, id: string, param: string): number {
  const index = rows.findIndex((row) => row.id === id);
  if (index < 0) throw noSuch(kind, id, param);
  return index;
}

function isWithin(moment: number, created: Paging["created"]): boolean {
  if (created === undefined) return true;
  if (typeof created === "number") return moment === created;
  const { gt = -1, gte = 0, lt = Number.POSITIVE_INFINITY, lte = Number.POSITIVE_INFINITY } = created;
  return moment > gt && moment >= gte && moment < lt && moment <= lte;
}
