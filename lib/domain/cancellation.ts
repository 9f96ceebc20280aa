import * as v from "valibot";
import { documented } from "../values/documented.ts";
import { oneOf } from "../values/scalars.ts";
import { note } from "../values/shown.ts";

export const CancellationRequest = documented(
  v.strictObject({
    mode: v.optional(oneOf(["at_period_end", "immediately"]), "at_period_end"),
    feedback: v.optional(
      oneOf([
        "customer_service",
        "low_quality",
        "missing_features",
        "other",
        "switched_service",
        "too_complex",
        "too_expensive",
        "unused",
      ]),
    ),
    comment: v.optional(note(500)),
  }),
  {
    mode: "When the subscription ends. Neither mode refunds anything.",
    feedback: ["Why the member leaves: one of Stripe's `cancellation_details.feedback` values.", "too_expensive"],
    comment: ["Why the member leaves, in their own words.", "Maybe next year"],
  },
);

/** The body of an action that needs none. */
export const Nothing = documented(v.strictObject({}), {});
