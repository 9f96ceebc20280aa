import * as v from "valibot";
import { canonicalJson } from "../../canonical-json.ts";
import { fold } from "../../domain/fold.ts";
import { Member } from "../../domain/member.ts";
import { sequenceIn } from "../../epoch.ts";
import { measure } from "../../log.ts";
import type { Runtime } from "../../runtime.ts";
import { noAddress } from "../../values/address.ts";
import { FactChange } from "../../values/fact-change.ts";
import type { JsonObject } from "../../values/metadata.ts";
import { type Person } from "../../values/person.ts";
import { Cents, dollars, Id, Timestamp } from "../../values/scalars.ts";
import type { OpenCommunity } from "../communities.ts";
import type { Item } from "../expression.ts";
import { type Key, keys } from "../keys.ts";
import { sequencesPerWrite } from "../sequence.ts";
import { EditableFields } from "./editable.ts";
import { memberIndex } from "./index-keys.ts";

/**
 * A member as it is stored. Stripe owns the status, the periods and the sums; people own the block, the notes and the
 * custom metadata. The names of its tier and community are joined on read, never copied.
 */
export const StoredMember = v.object({
  ...v.omit(Member, [
    "metadata",
    "total_refunded",
    "requires_shipping_address",
    "has_shipping_address",
    "membership_tier",
    "community",
    "sequence",
  ]).entries,
  ...EditableFields.entries,
  ...v.pick(Member.entries.metadata, ["blocked_at", "blocked_by", "refunds"]).entries,
  /** What those before the newest hundred `refunds` come to, by day. */
  older_refunds_cents: v.optional(v.record(v.string(), v.number()), {}),
  /** What the subscription brings in a month, as of the last synchronization. */
  monthly_cents: v.optional(Cents, 0),
  /** What was paid, by the day of the payment. */
  paid_cents_by_day: v.optional(v.record(v.string(), v.number()), {}),
  /** When the monthly amount was first more than 0. */
  first_paying_at: v.optional(Timestamp),
  /** Since when the movements of the member are recorded. Members stored before that have none until `npm run migrate`. */
  recorded_since: v.optional(Timestamp),
  community_id: Id,
  tier_id: Id,
  stripe_customer_id: v.nullable(v.string()),
  stripe_subscription_id: v.nullable(v.string()),
  /** When the member was first let in; never, for one who was imported. */
  first_granted_at: v.nullable(v.string()),
  /** What an import made of the member: a hash of its record, the version of the member that it wrote, and when. */
  imported: v.optional(v.object({ fingerprint: v.string(), version: v.number(), at: v.optional(Timestamp) })),
  /** The sums that an import gave, to which what is seen at Stripe is added. */
  opening: v.optional(v.object({ lifetime_spend_cents: Cents, total_refunded_cents: Cents })),
  /** The start of the trial whose end was announced. */
  trial_announced: v.optional(Timestamp),
  /** Whether the status is `unpaid` because of a pause that was asked for. */
  is_paused: v.optional(v.boolean()),
  /** What the last synchronization has learned about the member's money, for the events of that write. */
  changed_facts: v.optional(v.object({ at: Timestamp, changes: v.array(FactChange) })),
  /** When the person was erased: nothing personal is written about the member any more. */
  erased_at: v.optional(Timestamp),
  /** Rises with every edit of the address here, which is written to Stripe first. */
  address_version: v.optional(v.number()),
  /** Rises with every copy of what Stripe holds. */
  sync_version: v.number(),
  /** Rises with every write; what was decided with one version is written only over that version. */
  version: v.number(),
});
export type StoredMember = v.InferOutput<typeof StoredMember>;

export const fromItem = (item: Item): StoredMember => v.parse(StoredMember, item);

/** Rises with every write of a member. */
export const revisionOf = ({ version, sync_version }: Pick<StoredMember, "version" | "sync_version">): number =>
  version + sync_version;

/** Rises with every write of a member. Events of one write have the numbers up to this one (`docs/decisions/041-sequence-of-a-write.md`). */
export const sequenceOf = (member: Pick<StoredMember, "version" | "sync_version">, epoch: number): number =>
  sequenceIn(epoch, revisionOf(member) * sequencesPerWrite);

export const keyOf = ({ community_id, id }: StoredMember): Key => keys.member(community_id, id);

/** The member's item: itself, and the partitions of the indexes it is listed in. */
export const itemOf = (member: StoredMember) => ({
  ...keyOf(member),
  ...member,
  status_pk: memberIndex.status(member.community_id, member.status),
  tier_pk: memberIndex.tier(member.community_id, member.tier_id),
  blocked_pk: memberIndex.blocked(member.community_id, member.is_blocked),
});

/** Takes the member's id, under which their activity and refunds are kept, whatever their community. */
export const parentOf = ({ id, community_id }: StoredMember): Key & Item => ({
  ...keys.memberParent(id),
  community_id,
});

/** What a person is to a community, kept with the person: own membership and discovery read it. */
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
});

/** One search item for each token of the person; each knows all tokens, so that a list names a member once. */
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

/** Folded search terms of a member: email address, username, first and last name, each once, in the order of sort keys. */
const tokensOf = ({ email, username, first_name, last_name }: Person): string[] =>
  [...new Set([email, username, first_name, last_name].map(searchToken))]
    .filter((token) => token !== "")
    .toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

/** Folded, without control characters, and short enough for a sort key (1,024 bytes with the id). */
export const searchToken = (text: string): string =>
  Buffer.from(fold(text).replace(/\p{Cc}/gu, ""))
    .subarray(0, 700)
    .toString()
    .replace(/\ufffd$/, "");

/** The member record, with the names of its tier and community as they are now. */
export function toResponse(
  member: StoredMember,
  { id, name, tiers }: OpenCommunity,
  { epoch }: Pick<Runtime, "epoch">,
): Member {
  const { custom, notes, refunds, blocked_at, blocked_by, shipping_address, ...own } = member;
  const tier = tiers.find((candidate) => candidate.id === member.tier_id) ?? missingTier(member.tier_id);
  return {
    ...own,
    shipping_address: shipping_address ?? noAddress,
    metadata: {
      lifetime_spend_cents: own.lifetime_spend_cents,
      blocked: own.is_blocked,
      blocked_at,
      blocked_by,
      block_reason: own.block_reason,
      refunds,
      notes,
      // DynamoDB returns the members of a map in any order.
      ...(JSON.parse(canonicalJson(custom)) as JsonObject),
    },
    total_refunded: dollars(own.total_refunded_cents),
    requires_shipping_address: tier.requires_shipping_address,
    has_shipping_address: shipping_address !== null,
    membership_tier: { id: tier.id, name: tier.name, monthly_price_dollars: tier.monthly_price_dollars },
    community: { id, name },
    sequence: sequenceOf(member, epoch),
  };
}

/** Shown instead of a missing tier, so that the member can still be read. */
function missingTier(id: number) {
  measure("missing_tier");
  return { id, name: "", monthly_price_dollars: 0, requires_shipping_address: false };
}
