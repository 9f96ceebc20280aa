import * as v from "valibot";
import { shownEntries } from "../fields/field.ts";
import { renewalFields } from "../fields/member.ts";
import { Access } from "../values/access.ts";
import { MemberStatus } from "../values/member-status.ts";
import { Id, Timestamp } from "../values/scalars.ts";
import { Benefit } from "./benefit.ts";
import { TierFields } from "./tier.ts";

/** The caller's membership of a community. Applications use it to decide access. */
export const Membership = v.object({
  is_member: v.boolean(),
  member_id: v.nullable(Id),
  access: Access,
  status: v.nullable(MemberStatus),
  tier: v.nullable(TierFields),
  benefits: v.array(Benefit),
  current_period_end: v.nullable(Timestamp),
  cancel_at_period_end: v.boolean(),
  cancel_at: v.nullable(Timestamp),
  ...shownEntries(renewalFields, "api"),
});
