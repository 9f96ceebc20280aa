/** A member whose period ends during the day. Their invoice is paid an hour later. */
export type Renewal = {
  readonly customer: string;
  readonly member_id: number;
  readonly tier_id: number;
  /** End of the period, in seconds since 1970. */
  readonly renewsAt: number;
  /** Time at which Odis first read the payment. */
  paymentReadAt?: number;
};

export const hour = 3600;
export const month = 30 * 24 * hour;
export const price = 2500;

/** The parts of a customer's objects at Stripe that Odis reads, at a time in seconds since 1970. */
export function shownBy(renewal: Renewal, pathname: string, now: number): readonly object[] {
  const { renewsAt, customer } = renewal;
  const isRenewed = now >= renewsAt;
  const isPaid = now >= renewsAt + hour;
  const periods = isRenewed ? [renewsAt, renewsAt - month] : [renewsAt - month];
  switch (pathname) {
    case "/v1/subscriptions":
      return [subscriptionOf(renewal, isRenewed ? renewsAt : renewsAt - month)];
    case "/v1/invoices":
      return periods.map((start, n) => invoiceOf(customer, start, isPaid || !isRenewed || n > 0));
    case "/v1/charges":
      return periods.filter((_, n) => isPaid || !isRenewed || n > 0).map((start) => chargeOf(customer, start));
    default:
      throw new Error(`Nothing is listed at ${pathname}`);
  }
}

const subscriptionOf = ({ customer, member_id, tier_id, renewsAt }: Renewal, start: number) => ({
  id: `sub_${customer}`,
  object: "subscription",
  customer: { id: customer, object: "customer", shipping: null, invoice_settings: { default_payment_method: null } },
  default_payment_method: null,
  schedule: null,
  status: "active",
  currency: "usd",
  created: renewsAt - month,
  cancel_at: null,
  cancel_at_period_end: false,
  canceled_at: null,
  ended_at: null,
  trial_start: null,
  trial_end: null,
  pause_collection: null,
  discounts: [],
  cancellation_details: null,
  metadata: { member_id: String(member_id), tier_id: String(tier_id), operation_id: "op_renewals" },
  items: {
    data: [
      {
        current_period_start: start,
        current_period_end: start + month,
        quantity: 1,
        price: {
          unit_amount: price,
          recurring: { interval: "month", interval_count: 1, usage_type: "licensed" },
          metadata: { tier_id: String(tier_id) },
        },
      },
    ],
  },
});

const invoiceOf = (customer: string, start: number, isPaid: boolean) => ({
  id: `in_${customer}_${start}`,
  object: "invoice",
  customer,
  number: null,
  status: isPaid ? "paid" : "draft",
  auto_advance: true,
  currency: "usd",
  total: price,
  amount_paid: isPaid ? price : 0,
  amount_due: price,
  amount_paid_off_stripe: 0,
  period_start: start,
  period_end: start + month,
  created: start,
  status_transitions: { paid_at: isPaid ? start + hour : null },
  parent: { subscription_details: { subscription: `sub_${customer}` } },
  lines: {
    data: [{ period: { start, end: start + month }, parent: { subscription_item_details: { proration: false } } }],
  },
  payments: {
    data: isPaid
      ? [{ status: "paid", amount_paid: price, payment: { payment_intent: `pi_${customer}_${start}` } }]
      : [],
  },
});

const chargeOf = (customer: string, start: number) => ({
  id: `ch_${customer}${start}`,
  object: "charge",
  customer,
  payment_intent: `pi_${customer}_${start}`,
  status: "succeeded",
  captured: true,
  amount: price,
  amount_captured: price,
  amount_refunded: 0,
  disputed: false,
  failure_message: null,
  payment_method_details: null,
  receipt_url: null,
  created: start + hour,
  refunds: { data: [], has_more: false },
});
