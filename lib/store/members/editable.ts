import type { MemberUpdate } from "../../domain/member.ts";
import { setBy } from "../../fields/field.ts";
import { memberFields } from "../../fields/member.ts";
import { pick } from "../../pick.ts";
import { Problem } from "../../problem.ts";
import { patchMetadata } from "../../values/metadata.ts";
import type { StoredMember } from "./item.ts";

/** The fields that people edit, as they are stored. */
export const editableNames = setBy(memberFields, "patch");
type EditableFields = Pick<StoredMember, (typeof editableNames)[number]>;

/**
 * What the activity says of an edit: the names of the fields as the API shows them. It holds no content of addresses, notes
 * and metadata.
 */
export const changedFields = (names: readonly string[]): { readonly changed: string[] } => ({
  changed: names.map((name) => (name === "custom" ? "metadata" : name)),
});

/** The editable fields after an edit, and the number of edits of the address where this is one. */
export type Edit = EditableFields & { readonly address_version?: number };

/**
 * The editable fields of a member after a PATCH.
 *
 * @throws Problem `validation_failed` for metadata beyond its limits (`docs/api.md`, section 3), `person_erased`
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
