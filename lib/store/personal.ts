import type { ErasedIn } from "../fields/field.ts";
import type { memberFields } from "../fields/member.ts";
import { type Key, kindOf } from "./keys.ts";
import type { User } from "./users.ts";

/**
 * The fields of members with `erased` in their table, and no others, or this does not compile. Written out, because the
 * table itself would be in every function that writes.
 */
const member = {
  user: true,
  shipping_address: true,
  notes: true,
  custom: true,
  block_reason: true,
  imported: true,
} as const satisfies Record<ErasedIn<typeof memberFields>, true>;

/**
 * Attributes that hold personal data, in the items that carry the mark of an erasure, `erased_at`. `write` refuses to set
 * one of them in a marked item. The refunds of a member are not among them: they are kept, without their notes.
 */
export const personalAttributes = {
  member: Object.keys(member) as (keyof typeof member)[],
  user: ["username", "email", "first_name", "last_name", "sub"],
} as const satisfies { readonly member: readonly string[]; readonly user: readonly (keyof User)[] };

/** Whether attributes of an item hold personal data that an erasure removes. */
export function isPersonal(key: Key, attributes: object): boolean {
  const kind = kindOf(key);
  if (kind !== "member" && kind !== "user") return false;
  return personalAttributes[kind].some((name) => name in attributes);
}
