import * as v from "valibot";
import type { MemberUpdate } from "../../domain/member.ts";
import { pick } from "../../pick.ts";
import { Problem } from "../../problem.ts";
import { ShippingAddress } from "../../values/address.ts";
import { type JsonObject, patchMetadata } from "../../values/metadata.ts";
import type { StoredMember } from "./item.ts";

/** The fields of a PATCH, besides `metadata`: each as it is stored, with its value before anybody has set it. */
const fields = {
  shipping_address: v.optional(v.nullable(ShippingAddress), null),
} satisfies Record<Exclude<keyof MemberUpdate["member"], "metadata">, v.GenericSchema>;

/** What people edit of a member, as it is stored. Members that were stored before a field existed have its default. */
export const EditableFields = v.object({
  ...fields,
  notes: v.optional(v.string(), ""),
  custom: v.optional(
    v.custom<JsonObject>((value) => typeof value === "object" && value !== null),
    {},
  ),
});
export type EditableFields = v.InferOutput<typeof EditableFields>;

export const editableNames = Object.keys(EditableFields.entries) as (keyof EditableFields)[];

/**
 * What the activity says of an edit: the names of the fields as the API shows them. It holds no content of addresses, notes
 * and metadata.
 */
export const changedFields = (names: readonly string[]): { readonly changed: string[] } => ({
  changed: names.map((name) => (name === "custom" ? "metadata" : name)),
});

/** What nobody has edited yet. */
export const unedited: EditableFields = v.getDefaults(EditableFields);

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
