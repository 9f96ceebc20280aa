import type { InferInput } from "valibot";
import type { Member } from "#lib/domain/member.ts";
import { MemberImport } from "#lib/domain/member-import.ts";
import { pick } from "#lib/pick.ts";
import { columnsOf } from "./columns.ts";

/** A member as it stands in a file: what the import takes, in the order of its schema, with nothing that is empty. */
type MemberRecord = InferInput<typeof MemberImport>;

export const memberColumns = columnsOf(MemberImport.entries);

/** What the export says of each field of the import: `null` for nothing. */
type Exported = { readonly [Name in keyof MemberRecord]-?: MemberRecord[Name] | null };

/** The record that would import a member as they are now. The type makes it name every field of the import. */
export function recordOf(member: Member): MemberRecord {
  const { user, membership_tier, shipping_address, has_shipping_address, metadata } = member;
  const { lifetime_spend_cents: _spend, blocked: _blocked, block_reason: _reason, ...rest } = metadata;
  const { blocked_at, blocked_by, refunds, notes, ...custom } = rest;
  const exported = {
    // What the member and the import name alike.
    ...member,
    user: withoutEmpty(user),
    tier_id: membership_tier.id,
    shipping_address: has_shipping_address ? shipping_address : null,
    blocked_at,
    blocked_by,
    refunds,
    metadata: notes === "" ? custom : { notes, ...custom },
    // The API does not tell them.
    stripe_customer_id: null,
    stripe_subscription_id: null,
  } satisfies Exported;
  return withoutEmpty(pick(exported, names));
}

const names = Object.keys(MemberImport.entries) as (keyof MemberRecord)[];

/** Without what an import fills in by itself. */
function withoutEmpty<T extends object>(record: T): T {
  const isEmpty = (value: unknown) =>
    value === null ||
    value === false ||
    value === 0 ||
    value === "" ||
    (typeof value === "object" && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(record).filter(([, value]) => !isEmpty(value))) as T;
}
