import { describeFields } from "../values/documented.ts";
import { ChangeAnswer, ChangeRequest } from "./change.ts";

describeFields(ChangeRequest, {
  tier_id: ["Identifier of the tier to change to. Default: the member's tier.", 12],
  interval: ["Billing period to change to. Default: the member's interval.", "year"],
  dry_run: ["Whether to only preview the change.", true],
  preview_id: [
    "The `preview_id` of a preview. The change is made only if it still is what was previewed.",
    "cHJldmlldw.kJ3mB0Qv1n5r8s2t4u6w7x",
  ],
});

describeFields(ChangeAnswer, {
  status: "`preview` for a dry run. Otherwise whether the change was made or is scheduled.",
  when: "When the change takes effect.",
  charged_now_cents: ["What the change charges now, in US cents.", 0],
  credited_cents: ["What the change adds to the customer's credit in Stripe, in US cents.", 0],
  next_charge_cents: ["What the next renewal charges, after discounts, before tax and credit, in US cents.", 1200],
  next_charge_at: ["Time of the next renewal.", "2026-12-03T09:30:00.000Z"],
  preview_id: ["Identifies a preview for 10 minutes. `null` unless this is one.", "cHJldmlldw.kJ3mB0Qv1n5r8s2t4u6w7x"],
  member: "The member after the change, or unchanged after a preview.",
});
