import { describeFields } from "../values/documented.ts";
import { CancellationRequest, Nothing } from "./cancellation.ts";

describeFields(CancellationRequest, {
  mode: "When the subscription ends. Neither mode refunds anything.",
  feedback: ["Why the member leaves: one of Stripe's `cancellation_details.feedback` values.", "too_expensive"],
  comment: ["Why the member leaves, in their own words.", "Maybe next year"],
});

describeFields(Nothing, {});
