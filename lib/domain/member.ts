import * as v from "valibot";
import { type EntriesSetBy, shownEntries } from "../fields/field.ts";
import { memberFields } from "../fields/member.ts";
import { AddressInput } from "../values/address.ts";
import { MetadataPatch } from "../values/metadata.ts";
import { text } from "../values/scalars.ts";

/** The member record of the API. The names of its tier and community are joined on read, not stored. */
export const Member = v.object(shownEntries(memberFields, "api"));
export type Member = v.InferOutput<typeof Member>;

/** The fields of a member that a request can set. `metadata` sets `notes` and `custom`. */
export type MemberEntries<Write extends "patch" | "import"> = Omit<
  EntriesSetBy<typeof memberFields, Write>,
  "notes" | "custom"
> & { readonly metadata: v.GenericSchema };

export const MemberUpdate = v.strictObject({
  member: v.strictObject({
    shipping_address: v.optional(v.nullable(AddressInput)),
    metadata: v.optional(MetadataPatch),
  } satisfies MemberEntries<"patch">),
});
export type MemberUpdate = v.InferOutput<typeof MemberUpdate>;

export const BlockRequest = v.strictObject({ reason: v.optional(text(0, 500)) });
