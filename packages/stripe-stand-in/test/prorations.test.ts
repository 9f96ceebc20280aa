import { expect, it } from "vitest";
import { createSeededStripe } from "./core.ts";
import { newPeriods } from "./prorations/new-periods.ts";
import { withinAPeriod } from "./prorations/within-a-period.ts";
import { aPrice, idOf, there } from "./target.ts";

it.each([...withinAPeriod, ...newPeriods])(
  "$what ($address)",
  async ({ begins, from, interval, quantity = 1, trialDays, steps, ...expected }) => {
    const { client: stripe, clock, control } = createSeededStripe(1);
    clock.set(Date.parse(begins));
    const card = "pm_card_visa";
    const { id: customer } = await stripe.customers.create({
      payment_method: card,
      invoice_settings: { default_payment_method: card },
    });
    const { id, items } = await stripe.subscriptions.create({
      customer,
      items: [{ price: await aPrice(stripe, from, interval), quantity }],
      ...(trialDays !== undefined && { trial_period_days: trialDays }),
    });
    const item = idOf(items.data[0]);
    for (const { at, to, interval: next, quantity: seats, coupon, proration_date: date, same, ...params } of steps) {
      clock.set(Date.parse(at));
      if (coupon) await control(`subscriptions/${id}`, { coupon });
      if (to === undefined && !same) continue;
      const price = to === undefined ? {} : { price: await aPrice(stripe, to, next) };
      await stripe.subscriptions.update(id, {
        items: [{ id: item, ...price, ...(seats !== undefined && { quantity: seats }) }],
        ...(date !== undefined && { proration_date: Date.parse(date) / 1000 }),
        ...params,
      });
    }
    const invoice = there((await stripe.invoices.list({ subscription: id })).data[0]);
    expect({
      lines: invoice.lines.data.map(({ amount }) => amount),
      due: invoice.amount_due,
      balance: invoice.ending_balance,
    }).toEqual({ lines: expected.lines, due: expected.due, balance: expected.balance ?? 0 });
    expect(invoice.status).toBe("paid");
  },
);
