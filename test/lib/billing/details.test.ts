import { expect, it } from "vitest";
import { handler as cancelSubscription } from "../../../functions/members/cancel-subscription.ts";
import { handler as subscriptionDetails } from "../../../functions/members/subscription-details.ts";
import { forMember } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

const community = setUp(() => money.aPricedCommunity());

it("the subscription details have the attempts to collect the newest invoice, and the time of the next attempt", async () => {
  const member = await money.aSubscriber(community);
  const invoiceOf = async () =>
    (await money.call(subscriptionDetails, forMember(member))).body?.latest_invoice as object;
  expect(await invoiceOf()).toMatchObject({ status: "paid", attempts_made: 1, next_attempt_at: null });
  await money.control("faults", { decline: true });
  await money.control("advance", { days: 33 });
  const invoice = await invoiceOf();
  await money.control("faults", { decline: 0 });
  const next_attempt_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
  expect(invoice).toMatchObject({ status: "open", attempts_made: expect.any(Number), next_attempt_at });
});

it("the subscription details have the reason and the comment of the cancellation", async () => {
  const member = await money.aSubscriber(community);
  const detailsNow = async () => (await money.call(subscriptionDetails, forMember(member))).body;
  expect(await detailsNow()).toMatchObject({ cancellation_feedback: null, cancellation_comment: null });
  await money.call(cancelSubscription, {
    ...forMember(member),
    body: { feedback: "too_expensive", comment: "Two clubs are too many" },
  });
  expect(await detailsNow()).toMatchObject({
    cancellation_feedback: "too_expensive",
    cancellation_comment: "Two clubs are too many",
  });
});
