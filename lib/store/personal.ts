import type { ErasedIn } from "../fields/field.ts";
import type { memberFields } from "../fields/member.ts";
import type { userFields } from "../fields/user.ts";
import { type Key, kindOf } from "./keys.ts";

// The fields with `erased` in their table, and no others, or this does not compile. Written out, because the tables
// themselves would be in every function that writes.
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
 * Attributes that hold personal data, in the items that carry the mark of an erasure, `erased_at`. `write` refuses to set
 * one of them in a marked item. The refunds of a member are not among them: they are kept, without their notes.
 */
export const personalAttributes = {
  member: Object.keys(member) as (keyof typeof member)[],
  user: Object.keys(user) as (keyof typeof user)[],
};

/** Whether attributes of an item hold personal data that an erasure removes. */
export function isPersonal(key: Key, attributes: object): boolean {
  const kind = kindOf(key);
  if (kind !== "member" && kind !== "user") return false;
  return personalAttributes[kind].some((name) => name in attributes);
}
