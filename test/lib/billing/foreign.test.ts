import { expect, it } from "vitest";
import { measureForeign } from "#lib/billing/foreign.ts";
import { logged } from "#lib/log.ts";
import { startLog } from "../../support/log.ts";

const log = startLog();
const own = { id: "sub_1", currency: "usd", status: "active" };
const other = { ...own, id: "sub_2" };
const invoice = {
  parent: { subscription_details: { subscription: "sub_1" } },
  payments: { data: [{ payment: { charge: "ch_1" } }] },
};
const chargeOf = (id: string, over: object = {}) => ({
  charge: { id, status: "succeeded", captured: true, payment_intent: null, ...over },
});

it.each<[string, object, object | undefined, Record<string, number>]>([
  ["only its own", {}, own, {}],
  ["another live subscription", { subscriptions: [own, other] }, own, { foreign_subscription: 1 }],
  ["another subscription that has ended", { subscriptions: [own, { ...other, status: "canceled" }] }, own, {}],
  [
    "two other charges",
    { charges: [chargeOf("ch_1"), chargeOf("ch_2"), chargeOf("ch_3")] },
    own,
    { foreign_payment: 2 },
  ],
  ["another charge that has failed", { charges: [chargeOf("ch_2", { status: "failed" })] }, own, {}],
  ["another charge that is not captured", { charges: [chargeOf("ch_2", { captured: false })] }, own, {}],
  ["an own subscription in euros", {}, { ...own, currency: "eur" }, { foreign_currency: 1 }],
  ["nothing", { subscriptions: [], charges: [], invoices: [] }, undefined, {}],
])(
  "the metrics of a synchronization count what does not belong to the member, of a customer with %s",
  async (_, over, shown, expected) => {
    const snapshot = { subscriptions: [own], invoices: [invoice], charges: [chargeOf("ch_1")], ...over };
    await logged(
      {} as never,
      () => new Date(),
      async () => {
        measureForeign(snapshot as never, [own] as never, shown as never);
        return { statusCode: 200 };
      },
    );
    const [line = {}] = log.lines();
    const names = ["foreign_subscription", "foreign_payment", "foreign_currency"];
    expect(Object.fromEntries(Object.entries(line).filter(([name]) => names.includes(name)))).toEqual(expected);
  },
);
