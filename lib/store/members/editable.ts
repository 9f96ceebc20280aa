import type { MemberUpdate } from "../../domain/member.ts";
import { setBy } from "../../fields/field.ts";
import { memberFields } from "../../fields/member.ts";
import { pick } from "../../pick.ts";
import { Problem } from "../../problem.ts";
import { patchMetadata } from "../../values/metadata.ts";
import type { StoredMember } from "./item.ts";

/** The stored fields that people edit. */
export const editableNames = setBy(memberFields, "patch");
type EditableFields = Pick<StoredMember, (typeof editableNames)[number]>;

/**
 * The names of the edited fields for the activity, as in the API. The activity contains no addresses, notes or
 * metadata.
 */
export const changedFields = (names: readonly string[]): { readonly changed: string[] } => ({
  changed: names.map((name) => (name === "custom" ? "metadata" : name)),
});

/** The editable fields after an edit. `address_version` is set if the edit contains an address. */
export type Edit = EditableFields & { readonly address_version?: number };

/**
 * The editable fields of a member after a PATCH.
 *
 * @throws Problem `validation_failed` if metadata exceed their limits (`docs/api.md`, section 3), `person_erased`
 */
export function edit(member: StoredMember, { metadata = {}, ...changed }: MemberUpdate["member"]): Edit {
  const patched = patchMetadata(member, metadata);
  if (member.erased_at !== undefined) throw new Problem("person_erased");
  return {
    ...pick(member, editableNames),
    ...changed,
    ...patched,
    ...(changed.shipping_address !== undefined && { address_version: (member.address_version ?? 0) + 1 }),
  };
}
