import type { ErasedIn } from "../fields/field.ts";
import type { memberFields } from "../fields/member.ts";
import type { userFields } from "../fields/user.ts";
import { type Key, kindOf } from "./keys.ts";

// This list must equal the fields with `erased` in the field tables (checked by the compiler). It is not derived from
// the field tables, because they would then be bundled into every function that writes.
const member = {
  user: true,
  shipping_address: true,
  notes: true,
  custom: true,
  block_reason: true,
  imported: true,
} as const satisfies Record<ErasedIn<typeof memberFields>, true>;

const user = {
  username: true,
  email: true,
  first_name: true,
  last_name: true,
  sub: true,
} as const satisfies Record<ErasedIn<typeof userFields>, true>;

/**
 * Attributes with personal data, in items that an erasure marks with `erased_at`. `write` refuses to set them in a marked
 * item. The refunds of a member are not among them: an erasure keeps them, without their notes.
 */
export const personalAttributes = {
  member: Object.keys(member) as (keyof typeof member)[],
  user: Object.keys(user) as (keyof typeof user)[],
};

/** Whether any of the attributes holds personal data that an erasure removes. */
export function isPersonal(key: Key, attributes: object): boolean {
  const kind = kindOf(key);
  if (kind !== "member" && kind !== "user") return false;
  return personalAttributes[kind].some((name) => name in attributes);
}
