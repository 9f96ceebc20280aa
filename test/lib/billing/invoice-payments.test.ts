import { beforeAll, expect, it } from "vitest";
import { handler as paymentHistory } from "../../../functions/members/payment-history.ts";
import type { GivenCommunity } from "../../support/given.ts";
import { forMember } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";

const money = startMoney();

let community: GivenCommunity;
beforeAll(async () => {
  community = await money.aPricedCommunity();
});

it("a charge counts for its invoice after a hundred payments that came to nothing", async () => {
  const member = await money.aSubscriber(community);
  const [charge] = await money.chargesOf(member.stripe_customer_id);
  money.standIn.act((account) => {
    const [paid] = [...account.rows("invoice_payment")].filter(
      ({ payment }) => payment.payment_intent === charge?.payment_intent,
    );
    if (!paid) throw new Error("The invoice has no payment");
    const status_transitions = { canceled_at: account.now(), paid_at: null };
    for (let n = 0; n < 110; n++)
      account.put("invoice_payment", {
        ...paid,
        id: account.newId("inpay"),
        status: "canceled",
        amount_paid: null,
        payment: { type: "payment_intent", payment_intent: `pi_canceled_${n}` },
        status_transitions,
      });
  });
  await money.control("refund", { charge: charge?.id, amount: 100 });
  await money.deliverAll();

  expect(await money.memberNow(member)).toMatchObject({ lifetime_spend_cents: 2400, total_refunded_cents: 100 });
  const { body } = await money.call(paymentHistory, forMember(member));
  expect(body).toMatchObject({ data: [{ charges: [{ id: charge?.id, amount_refunded_cents: 100 }] }] });
});
