import type { MemberListQuery } from "../../domain/member-list.ts";
import { pick } from "../../pick.ts";
import * as communities from "../communities.ts";
import type { Scope } from "../cursor.ts";
import type { Reader } from "../table.ts";
import type { IndexName } from "../table-schema.ts";
import { memberIndex } from "./index-keys.ts";
import { derivedFrom, type StoredMember } from "./item.ts";

const storedNames = ["status", "tier_id", "is_blocked"] as const;
const derivedNames = ["access", "requires_shipping_address", "has_shipping_address", "is_canceling"] as const;
const names = [...storedNames, ...derivedNames] as const;

/** The filters of a member list. */
export type Filters = Pick<MemberListQuery, (typeof names)[number]> & {
  /** The tiers whose members can match. Undefined if the filters do not depend on tiers. */
  readonly tierIds: readonly number[] | undefined;
};

export const filtersOf = async (table: Reader, communityId: number, query: MemberListQuery): Promise<Filters> => ({
  ...pick(query, names),
  // Everybody who is canceling has access, so the list of these members is read.
  access: query.access ?? (query.is_canceling || undefined),
  tierIds: await tierIdsOf(table, communityId, query),
});

async function tierIdsOf(table: Reader, communityId: number, query: MemberListQuery): Promise<number[] | undefined> {
  const { tier_id, access, requires_shipping_address: isRequired, has_shipping_address: hasAddress } = query;
  if (isRequired === undefined) {
    if (tier_id !== undefined) return [tier_id];
    if (access === undefined && hasAddress === undefined && !query.is_canceling) return undefined;
  }
  const { tiers } = await communities.open(table, communityId);
  return tiers
    .filter(({ id }) => (tier_id ?? id) === id)
    .filter((tier) => (isRequired ?? tier.requires_shipping_address) === tier.requires_shipping_address)
    .map(({ id }) => id);
}

export const isFiltered = (filters: Filters): boolean => names.some((name) => filters[name] !== undefined);

/** The filters by stored attributes, which DynamoDB applies to the rows that it reads. */
export const storedFilters = (filters: Filters) =>
  pick(
    filters,
    storedNames.filter((name) => filters[name] !== undefined),
  );

export function matches(member: StoredMember, filters: Filters): boolean {
  const { status, is_blocked, tierIds, access, has_shipping_address: hasAddress, is_canceling: isCanceling } = filters;
  const derived = derivedFrom(member);
  const isLeaving = derived.access.reason === "canceling";
  return (
    (status ?? member.status) === member.status &&
    (is_blocked ?? member.is_blocked) === member.is_blocked &&
    (tierIds?.includes(member.tier_id) ?? true) &&
    (access ?? derived.access.granted) === derived.access.granted &&
    (hasAddress ?? derived.has_shipping_address) === derived.has_shipping_address &&
    (isCanceling ?? isLeaving) === isLeaving
  );
}

/** What the cursors of a list are valid for. Without the derived filters, which earlier versions lack, as in those. */
export function scopeOf(communityId: number, query: MemberListQuery): Scope {
  const { sort, status, tier_id, is_blocked, query: text } = query;
  const own = [sort, status, tier_id, is_blocked, text].map((value) => value ?? null);
  const derived = derivedNames.map((name) => query[name] ?? null);
  return ["members", communityId, ...own, ...(derived.every((value) => value === null) ? [] : derived)];
}

/** A partition of an index. Without one, the members of the community. */
type List =
  | { readonly index: IndexName; readonly pk: string }
  | { readonly index?: undefined; readonly pk?: undefined };

/** The lists that contain all members that match, and few others. Each member is in one of them at most. */
export function listsOf(communityId: number, filters: Filters): List[] {
  const { status, is_blocked, access, has_shipping_address: hasAddress, tierIds } = filters;
  if (is_blocked) return [{ index: "by_blocked", pk: memberIndex.blocked(communityId, true) }];
  if (tierIds && (access !== undefined || hasAddress !== undefined))
    return tierIds.flatMap((tierId) =>
      either(access).flatMap((hasAccess) =>
        either(hasAddress).map((isKnown): List => {
          return { index: "by_access", pk: memberIndex.access(communityId, tierId, hasAccess, isKnown) };
        }),
      ),
    );
  if (tierIds) return tierIds.map((tierId) => ({ index: "by_tier", pk: memberIndex.tier(communityId, tierId) }));
  if (status !== undefined) return [{ index: "by_status", pk: memberIndex.status(communityId, status) }];
  if (is_blocked === false) return [{ index: "by_blocked", pk: memberIndex.blocked(communityId, false) }];
  return [{}];
}

const either = (value: boolean | undefined): readonly boolean[] => (value === undefined ? [true, false] : [value]);
