import * as v from "valibot";
import { shownEntries } from "../fields/field.ts";
import { memberFields } from "../fields/member.ts";
import { MemberStatus } from "../values/member-status.ts";
import { IntegerParameter, oneOf, rule, text } from "../values/scalars.ts";
import { Member } from "./member.ts";
import { Cursor, Per, Total } from "./page.ts";

/** A member in CSV. Without metadata, which have no fixed columns. */
export const MemberRow = v.object(shownEntries(memberFields, "csv"));

const Flag = v.optional(
  v.pipe(
    oneOf(["true", "false"]),
    v.transform((flag) => flag === "true"),
  ),
);

/** Filters, order and position of a member list (`docs/api.md`, section 3). An empty `query` counts as absent. */
export const MemberListQuery = v.pipe(
  v.object({
    status: v.optional(MemberStatus),
    tier_id: v.optional(IntegerParameter),
    is_blocked: Flag,
    access: Flag,
    requires_shipping_address: Flag,
    has_shipping_address: Flag,
    is_canceling: Flag,
    query: v.optional(
      v.pipe(
        text(1, 64),
        v.transform((typed) => (typed.trim() === "" ? undefined : typed)),
      ),
    ),
    sort: v.optional(oneOf(["-created_at", "created_at"])),
    columns: v.optional(oneOf(["record", "labels"])),
    per: Per,
    cursor: Cursor,
  }),
  v.forward(
    rule("conflicts", ({ query, sort }) => query === undefined || sort === undefined, "cannot be given with query"),
    ["sort"],
  ),
);
export type MemberListQuery = v.InferOutput<typeof MemberListQuery>;

export const MemberPage = v.object({
  total: v.nullable(Total),
  has_more: v.boolean(),
  next_cursor: v.nullable(v.string()),
  data: v.array(Member),
});
