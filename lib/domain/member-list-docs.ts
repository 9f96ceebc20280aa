import { describeFields } from "../values/documented.ts";
import { MemberListQuery, MemberPage } from "./member-list.ts";
import { cursorPageDocs, cursorQueryDocs } from "./page-docs.ts";

describeFields(MemberListQuery, {
  status: "Only members with this status.",
  tier_id: ["Only members of this tier.", "11"],
  is_blocked: "Only members who are blocked (`true`) or not blocked (`false`).",
  access: "Only members who have access (`true`) or have none (`false`), without the right of the owner.",
  requires_shipping_address:
    "Only members whose tier requires (`true`) or does not require (`false`) a shipping address.",
  has_shipping_address: "Only members with (`true`) or without (`false`) a shipping address.",
  is_canceling:
    "Only members who have access until the scheduled end of their subscription (`true`), or everybody else (`false`).",
  query: [
    "Start of an email address, a username or a full name, with the first or the last name first, or the whole id of a member or user. Case and accents are ignored.",
    "ana",
  ],
  sort: "Sort order by join time, newest first by default. Not allowed together with `query`.",
  columns:
    "Columns of the CSV. `record`, the default, returns those of the record. `labels` returns shipping labels in one file of up to 5,000 rows, requires `Accept: text/csv`, and is not allowed together with `per`.",
  ...cursorQueryDocs,
});

describeFields(MemberPage, {
  total: [
    "Number of members that match the filters, at most a minute old. `null` with `query`, `has_shipping_address` or `is_canceling`, or if the members have not been counted yet.",
    1,
  ],
  ...cursorPageDocs,
});
