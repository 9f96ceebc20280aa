import * as v from "valibot";
import { text } from "./scalars.ts";

export const CancellationRequest = v.strictObject({
  mode: v.optional(v.picklist(["at_period_end", "immediately"]), "at_period_end"),
  /** Stripe's `cancellation_details.feedback`. */
  feedback: v.optional(
    v.picklist([
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
  comment: v.optional(text(0, 500)),
});

/** A request that has nothing to say. */
export const Nothing = v.strictObject({});
