import * as v from "valibot";
import { oneOf } from "../values/scalars.ts";
import { note } from "../values/shown.ts";

export const CancellationRequest = v.strictObject({
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
});

/** The body of an action without parameters. */
export const Nothing = v.strictObject({});
