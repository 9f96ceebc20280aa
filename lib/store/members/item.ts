import * as v from "valibot";
import { canonicalJson } from "../../canonical-json.ts";
import { accessOf, type Subscription } from "../../domain/access.ts";
import { fold, foldWithFinalSigma } from "../../domain/fold.ts";
import type { Member } from "../../domain/member.ts";
import type { TierFields } from "../../domain/tier.ts";
import { erasedRecord, shownIn, storedEntries } from "../../fields/field.ts";
import { memberFields, renewalFields, type ScheduledChange } from "../../fields/member.ts";
import { logError, measure } from "../../log.ts";
import { pick } from "../../pick.ts";
import type { Runtime } from "../../runtime.ts";
import { noAddress } from "../../values/address.ts";
import type { JsonObject } from "../../values/metadata.ts";
import type { Person } from "../../values/person.ts";
import { dollars, Id } from "../../values/scalars.ts";
import type { Item } from "../expression.ts";
import { type Key, keys } from "../keys.ts";
import type { OpenCommunity } from "../open-community.ts";
import { lastSequence } from "../sequence.ts";
import { memberIndex } from "./index-keys.ts";

/** A member as it is stored. */
const StoredMember = v.object(storedEntries(memberFields));
export type StoredMember = v.InferOutput<typeof StoredMember>;

/** A stored member does not have the fields that this version reads. */
export class UnreadableMember extends Error {
  override readonly name = "UnreadableMember";
}

/** @throws UnreadableMember with the member's id and the names of the malformed fields, without their values */
export function fromItem(item: Item): StoredMember {
  const { success, output, issues } = v.safeParse(StoredMember, item);
  if (success) return output;
  const fields = new Set(issues.map((issue) => v.getDotPath(issue)));
  throw new UnreadableMember(
    `Member ${String(item.id ?? item.sk)} cannot be read: malformed ${[...fields].join(", ")}`,
  );
}

/** The members of items that can be read. Logs each other item with its id. */
export const readable = (items: readonly Item[]): StoredMember[] =>
  items.flatMap((item) => {
    try {
      return [fromItem(item)];
    } catch (error) {
      logError(error as Error, { kind: "member", id: item.id });
      return [];
    }
  });

/** Counter that every write of a member increments. */
export const revisionOf = ({ version, sync_version }: Pick<StoredMember, "version" | "sync_version">): number =>
  version + sync_version;

/** The highest sequence number for the events of a member's latest write (`docs/decisions/041-sequence-of-a-write.md`). */
export const sequenceOf = (member: Pick<StoredMember, "version" | "sync_version">, epoch: number): number =>
  lastSequence(revisionOf(member), epoch);

export const keyOf = ({ community_id, id }: StoredMember): Key => keys.member(community_id, id);

/** The member's item, with its partition keys in the indexes. */
export const itemOf = (member: StoredMember) => ({
  ...keyOf(member),
  ...member,
  status_pk: memberIndex.status(member.community_id, member.status),
  tier_pk: memberIndex.tier(member.community_id, member.tier_id),
  blocked_pk: memberIndex.blocked(member.community_id, member.is_blocked),
  access_pk: accessKeyOf(member),
});

/** The member's partition key in the index by access and address. */
export function accessKeyOf(member: StoredMember): string {
  const { access, has_shipping_address } = derivedFrom(member);
  return memberIndex.access(member.community_id, member.tier_id, access.granted, has_shipping_address);
}

/** Reserves the member's id, which is unique across communities, and finds the community. */
export const parentOf = ({ id, community_id }: StoredMember): Key & Item => ({
  ...keys.memberParent(id),
  community_id,
});

/** The membership in the person's partition, for reads of their own memberships and for discovery. */
export const membershipOf = (member: StoredMember): Key & Item => ({
  ...keys.membership(member.user.id, member.community_id),
  community_id: member.community_id,
  member_id: member.id,
  status: member.status,
  tier_id: member.tier_id,
  is_blocked: member.is_blocked,
  cancel_at_period_end: member.cancel_at_period_end,
  cancel_at: member.cancel_at,
  current_period_end: member.current_period_end,
  ...pick(member, renewalNames),
});

/** The names of the fields that say what the next renewals charge. */
export const renewalNames = shownIn(renewalFields, "api");

/** The attributes of an item, for an update. */
export function withoutKey(item: Key & Item): Item {
  const { pk: _, sk: __, ...attributes } = item;
  return attributes;
}

/** One search item per token of the person. Each holds all tokens, so that a list shows a member only once. */
export function searchOf(member: StoredMember): (Key & Item)[] {
  const tokens = tokensOf(member.user);
  return tokens.map((token) => ({
    ...keys.memberSearch(member.community_id, token, member.id),
    member_id: member.id,
    token,
    tokens,
  }));
}

const SearchRow = v.object({ sk: v.string(), member_id: Id, token: v.string(), tokens: v.array(v.string()) });

export const searchRow = (item: Item): v.InferOutput<typeof SearchRow> => v.parse(SearchRow, item);

/** Search terms of a member. The start of a full name also finds the first or last name that it begins with. */
const termsOf = ({ email, username, first_name, last_name }: Person): string[] => [
  email,
  username,
  `${first_name} ${last_name}`,
  `${last_name} ${first_name}`,
];

const tokensOf = (person: Person): string[] => distinctTokens(termsOf(person));

/** Folded texts without duplicates, in the order of sort keys. */
const distinctTokens = (texts: readonly string[], folded = fold): string[] =>
  [...new Set(texts.map((text) => searchToken(text, folded)))]
    .filter((token) => token !== "")
    .toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

/**
 * The keys of the search items that earlier versions stored and this version does not: first and last names alone, and texts
 * with a final sigma.
 */
export function formerSearchKeysOf({ community_id, id, user }: StoredMember): Key[] {
  const current = new Set(tokensOf(user));
  return distinctTokens([...termsOf(user), user.first_name, user.last_name], foldWithFinalSigma)
    .filter((token) => !current.has(token))
    .map((token) => keys.memberSearch(community_id, token, id));
}

/** A folded text without control characters, cut to fit a sort key (1,024 bytes including the id). */
export const searchToken = (text: string, folded = fold): string =>
  Buffer.from(folded(text).replace(/\p{Cc}/gu, ""))
    .subarray(0, 700)
    .toString()
    .replace(/\ufffd$/, "");

/** An erased person as after the sweep, which can come weeks after the mark. */
export const asShown = (member: StoredMember): StoredMember =>
  member.erased_at === undefined ? member : erasedRecord(memberFields, member);

/**
 * The member as the API returns it, with the current names of its tier and community. An erased person is shown as after the
 * sweep, which can come weeks after the mark.
 */
export function toResponse(
  stored: StoredMember,
  { id, name, tiers }: OpenCommunity,
  { epoch }: Pick<Runtime, "epoch">,
): Member {
  const member = asShown(stored);
  const { custom, notes, refunds, blocked_at, blocked_by, shipping_address, ...own } = member;
  const tier = tiers.find((candidate) => candidate.id === member.tier_id) ?? missingTier(member.tier_id);
  return {
    ...own,
    shipping_address: shipping_address ?? noAddress,
    scheduled_change: withCurrentName(own.scheduled_change, tiers),
    metadata: {
      lifetime_spend_cents: own.lifetime_spend_cents,
      blocked: own.is_blocked,
      blocked_at,
      blocked_by,
      block_reason: own.block_reason,
      refunds,
      notes,
      // Sorts the keys. DynamoDB does not keep the order of a map.
      ...(JSON.parse(canonicalJson(custom)) as JsonObject),
    },
    total_refunded: dollars(own.total_refunded_cents),
    requires_shipping_address: tier.requires_shipping_address,
    ...derivedFrom(member),
    membership_tier: { id: tier.id, name: tier.name, monthly_price_dollars: tier.monthly_price_dollars },
    community: { id, name },
    sequence: sequenceOf(member, epoch),
  };
}

type Derived = Pick<Member, "access" | "joined_at" | "has_shipping_address">;

/** The fields of a member that responses and events derive from the others. An erased person has no address. */
export const derivedFrom = (
  member: Subscription &
    Pick<StoredMember, "shipping_address" | "first_granted_at" | "created_at"> &
    Partial<Pick<StoredMember, "imported">>,
): Derived => ({
  access: accessOf(false, member),
  joined_at: member.imported ? member.created_at : member.first_granted_at,
  has_shipping_address: member.shipping_address !== null && member.erased_at === undefined,
});

/** A scheduled change with the current name of its tier. */
export const withCurrentName = (
  change: ScheduledChange | null,
  tiers: readonly Pick<TierFields, "id" | "name">[],
): ScheduledChange | null => {
  const tier = tiers.find(({ id }) => id === change?.tier.id);
  return change && tier ? { ...change, tier: pick(tier, ["id", "name"]) } : change;
};

/** Shown instead of a missing tier, so that the member can still be read. */
function missingTier(id: number) {
  measure("missing_tier");
  return { id, name: "", monthly_price_dollars: 0, requires_shipping_address: false };
}

/** Whether neither people nor Stripe have changed a member since the import, so that another import may replace them. */
export const isAsImported = ({ imported, version, sync_version }: StoredMember): boolean =>
  imported?.version === version && sync_version === 0;
