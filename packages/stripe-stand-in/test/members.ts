import type Stripe from "stripe";
import type { Local } from "./local.ts";
import { aPrice, idOf, there } from "./target.ts";

type Interval = "month" | "year";

export type Member = {
  readonly customer: string;
  /** The subscription and its item. */
  readonly id: string;
  readonly item: string;
};

type NewMember = { readonly interval?: Interval; readonly trial_period_days?: number; readonly card?: string };
type Change = Omit<Stripe.SubscriptionUpdateParams, "items"> & {
  readonly interval?: Interval;
  readonly quantity?: number;
};

/** Subscriptions of a local stand-in, and changes of their prices. */
export function membersOf(local: Local) {
  /** Starts a subscription with a card. */
  async function subscribe(amount = 2_800, { interval = "month", card = "pm_card_visa", ...params }: NewMember = {}) {
    const { id: customer } = await local.stripe.customers.create({
      payment_method: card,
      invoice_settings: { default_payment_method: card },
    });
    const price = await aPrice(local.stripe, amount, interval);
    const { id, items } = await local.stripe.subscriptions.create({ customer, items: [{ price }], ...params });
    return { customer, id, item: idOf(items.data[0]) } satisfies Member;
  }

  /** Changes the price of a subscription to a new one. */
  async function change(
    { id, item }: Member,
    amount: number,
    { interval = "month", quantity, ...params }: Change = {},
  ) {
    const price = await aPrice(local.stripe, amount, interval);
    const items = [{ id: item, price, ...(quantity !== undefined && { quantity }) }];
    return local.stripe.subscriptions.update(id, { items, ...params });
  }

  /** Makes a card the default one of a customer. */
  async function useCard(customer: string, name: string) {
    const { id: card } = await local.stripe.paymentMethods.attach(name, { customer });
    await local.stripe.customers.update(customer, { invoice_settings: { default_payment_method: card } });
  }

  return {
    subscribe,
    change,
    useCard,
    balanceOf: async (customer: string) => {
      const found = await local.stripe.customers.retrieve(customer);
      return found.deleted ? undefined : found.balance;
    },
    latest: async (subscription: string) => there((await local.stripe.invoices.list({ subscription })).data[0]),
  };
}

export const linesOf = ({ lines }: Stripe.Invoice) =>
  lines.data.map(({ description, amount }) => `${description}: ${amount}`);

export const periodOf = ({ items }: Stripe.Subscription) => {
  const { current_period_start: from, current_period_end: to } = there(items.data[0]);
  return [from, to].map((moment) => new Date(moment * 1000).toISOString().slice(0, 10));
};
