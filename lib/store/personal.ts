import { type Key, kindOf } from "./keys.ts";
import type { StoredMember } from "./members/item.ts";
import type { User } from "./users.ts";

/**
 * Attributes that hold personal data, in the items that carry the mark of an erasure, `erased_at`. `write` refuses to set
 * one of them in a marked item. The refunds of a member are not among them: they are kept, without their notes.
 */
export const personalAttributes = {
  member: ["user", "shipping_address", "notes", "custom", "block_reason", "imported"],
  user: ["username", "email", "first_name", "last_name", "sub"],
} as const satisfies {
  readonly member: readonly (keyof StoredMember)[];
  readonly user: readonly (keyof User)[];
};

/** Whether attributes of an item hold personal data that an erasure removes. */
export function isPersonal(key: Key, attributes: object): boolean {
  const kind = kindOf(key);
  if (kind !== "member" && kind !== "user") return false;
  return personalAttributes[kind].some((name) => name in attributes);
}
