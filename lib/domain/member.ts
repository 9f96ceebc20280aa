import * as v from "valibot";
import { type EntriesSetBy, shownEntries } from "../fields/field.ts";
import { memberFields } from "../fields/member.ts";
import { AddressInput } from "../values/address.ts";
import { documented } from "../values/documented.ts";
import { MetadataPatch } from "../values/metadata.ts";
import { text } from "../values/scalars.ts";
import { memberDocs, memberUpdateDocs } from "./member-docs.ts";

/** The member record, as the API shows it. The names of its tier and community are joined on read, never copied. */
export const Member = documented(v.object(shownEntries(memberFields, "api")), memberDocs);
export type Member = v.InferOutput<typeof Member>;

/** What a request sets of the fields of a member. `metadata` sets `notes` and `custom`. */
export type MemberEntries<Write extends "patch" | "import"> = Omit<
  EntriesSetBy<typeof memberFields, Write>,
  "notes" | "custom"
> & { readonly metadata: v.GenericSchema };

export const MemberUpdate = documented(
  v.strictObject({
    member: documented(
      v.strictObject({
        shipping_address: v.optional(v.nullable(AddressInput)),
        metadata: v.optional(MetadataPatch),
      } satisfies MemberEntries<"patch">),
      memberUpdateDocs,
    ),
  }),
  { member: "The fields to change. Omitted fields are left unchanged." },
);
export type MemberUpdate = v.InferOutput<typeof MemberUpdate>;

export const BlockRequest = documented(v.strictObject({ reason: v.optional(text(0, 500)) }), {
  reason: ["Why the member is blocked, for the owner and admins of the community.", "Resells the bottles"],
});
