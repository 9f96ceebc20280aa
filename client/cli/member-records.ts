import type { InferInput } from "valibot";
import * as v from "valibot";
import type { Member } from "#lib/domain/member.ts";
import { MemberImport } from "#lib/domain/member-import.ts";
import { pick } from "#lib/pick.ts";
import { columnsOf } from "./columns.ts";

type Imported = InferInput<typeof MemberImport>;

/** A member in a file: the fields of the import schema, in its order, without empty ones, and the name of the tier. */
export type MemberRecord = Imported & { readonly tier_name?: string };

export const memberColumns = columnsOf({ ...MemberImport.entries, tier_name: v.optional(v.string()) });

/** Value of each import field in an export. `null` if it has none. */
type Exported = { readonly [Name in keyof Imported]-?: Imported[Name] | null };

/**
 * Returns the record that imports a member in their current state. The type requires every field of the import.
 * @param isWithoutStripe whether to omit the ids of the member, the person and Stripe, so that the record can be imported into
 * another community. The sums become an opening balance.
 */
export function recordOf(member: Member, isWithoutStripe = false): MemberRecord {
  const { user, membership_tier, shipping_address, has_shipping_address, metadata } = member;
  const { lifetime_spend_cents: _spend, blocked: _blocked, block_reason: _reason, ...rest } = metadata;
  const { blocked_at, blocked_by, refunds, notes, ...custom } = rest;
  const exported = {
    // Fields with the same name in the member and in the import.
    ...member,
    user: withoutEmpty(user),
    tier_id: membership_tier.id,
    shipping_address: has_shipping_address ? shipping_address : null,
    blocked_at,
    blocked_by,
    refunds,
    metadata: notes === "" ? custom : { notes, ...custom },
    // Not in the API's responses.
    stripe_customer_id: null,
    stripe_subscription_id: null,
  } satisfies Exported;
  const { id, refunds: stripeRefunds, ...portable } = withoutEmpty(pick(exported, names));
  const record = isWithoutStripe
    ? { ...portable, user: withoutId(portable.user) }
    : { id, ...portable, ...(stripeRefunds && { refunds: stripeRefunds }) };
  return { ...record, tier_name: membership_tier.name };
}

/** A person as the owner of a community may import them: matched by their email address, if they have one. */
const withoutId = ({ id, ...person }: Imported["user"]): Imported["user"] =>
  person.email === undefined ? { id, ...person } : person;

const names = Object.keys(MemberImport.entries) as (keyof Imported)[];

/** Removes the values that an import sets by default. */
function withoutEmpty<T extends object>(record: T): T {
  const isEmpty = (value: unknown) =>
    value === null ||
    value === false ||
    value === 0 ||
    value === "" ||
    (typeof value === "object" && Object.keys(value).length === 0);
  return Object.fromEntries(Object.entries(record).filter(([, value]) => !isEmpty(value))) as T;
}
