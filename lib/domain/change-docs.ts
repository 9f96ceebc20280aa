import { describeFields } from "../values/documented.ts";
import { ChangeAnswer, ChangeRequest, OwnChangeAnswer, OwnChangeRequest } from "./change.ts";

const request = {
  tier_id: ["Identifier of the tier to change to. Default: the member's tier.", 12],
  interval: ["Billing period to change to. Default: the member's interval.", "year"],
  dry_run: ["Whether to only preview the change.", true],
  preview_id: [
    "The `preview_id` of a preview. The change is made only if it still is what was previewed.",
    "cHJldmlldw.kJ3mB0Qv1n5r8s2t4u6w7x",
  ],
} as const;
describeFields(ChangeRequest, request);
describeFields(OwnChangeRequest, {
  ...request,
  return_url: [
    "The page to which Stripe's page returns. Required for a change from a free tier to a paid one.",
    "https://app.example.com/account",
  ],
});

const answer = {
  status:
    "`preview` for a dry run. Otherwise whether the change was made, is scheduled, or is made once it is paid at `url`.",
  when: "When the change takes effect.",
  charged_now_cents: ["What the change charges now, in US cents: always 0 for an owner's change.", 0],
  credited_cents: [
    "What is credited for the rest of the present period, in US cents. `charged_now_cents` is already less by it. What exceeds the charge becomes credit for the next invoices.",
    0,
  ],
  next_charge_cents: ["What the next renewal charges, after discounts, before tax and credit, in US cents.", 1200],
  next_charge_at: ["Time of the next renewal.", "2026-12-03T09:30:00.000Z"],
  preview_id: ["Identifies a preview for 10 minutes. `null` unless this is one.", "cHJldmlldw.kJ3mB0Qv1n5r8s2t4u6w7x"],
  url: [
    "Stripe's page on which the change can be paid. `null` unless a payment is required.",
    "https://invoice.stripe.com/i/acct_1/live_1",
  ],
  expires_at: ["Time until which the change can be paid.", "2026-12-02T08:30:00.000Z"],
} as const;
describeFields(ChangeAnswer, { ...answer, member: "The member after the change, or unchanged after a preview." });
describeFields(OwnChangeAnswer, {
  ...answer,
  membership: "The membership after the change. Unchanged after a preview, and while a payment is required.",
});
