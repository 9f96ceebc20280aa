import * as v from "valibot";
import { oneOf, Timestamp } from "./scalars.ts";

/** Why access is granted or refused. */
const accessReasons = [
  "owner",
  "active",
  "trialing",
  "past_due",
  "canceling",
  "blocked",
  "ended",
  "unpaid",
  "incomplete",
  "not_a_member",
] as const;

/** Whether a person has access, and why. `until` is the scheduled end of access. Null if no end is set. */
export const Access = v.object({ granted: v.boolean(), reason: oneOf(accessReasons), until: v.nullable(Timestamp) });
export type Access = v.InferOutput<typeof Access>;
