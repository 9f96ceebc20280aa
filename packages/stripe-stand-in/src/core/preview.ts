import type Stripe from "stripe";
import * as v from "valibot";
import type { Account } from "./account.ts";
import * as customers from "./customers.ts";
import { reductionsOf } from "./discounts.ts";
import { invalid, notModelled } from "./failure.ts";
import { pendingItems, periodLine, priceOf, sweptLines } from "./invoice-lines.ts";
import * as invoices from "./invoices.ts";
import { named } from "./lookup.ts";
import { settlement } from "./minimum-charge.ts";
import { invoiceObject, type LineFields, lineObject } from "./objects/invoice.ts";
import type { Period } from "./objects/subscription.ts";
import { text } from "./parameters.ts";
import { periodEnd } from "./periods.ts";
import { type PriceChange, planChange, priceChange } from "./price-change.ts";
import { scheduledAt } from "./schedule-phases.ts";
import { isOver } from "./subscription-end.ts";

export const PreviewCreate = v.strictObject({
  customer: v.optional(text),
  subscription: v.optional(text),
  subscription_details: v.optional(v.strictObject(priceChange)),
  schedule: v.optional(text),
  schedule_details: v.optional(v.unknown()),
});
type Preview = v.InferOutput<typeof PreviewCreate>;

/** `POST /v1/invoices/create_preview`: the next invoice of a subscription, also after a change. Stores nothing. */
export function create(account: Account, params: Preview): Stripe.Invoice {
  const { subscription_details: details = {} } = params;
  const subscription = subscriptionOf(account, params);
  const customer = customers.ownerOf(account, subscription);
  if (params.customer !== undefined && params.customer !== customer.id)
    throw invalid(`The subscription ${subscription.id} does not belong to the customer ${params.customer}.`);
  if (details.proration_date !== undefined && details.items === undefined)
    throw invalid("`proration_date` needs `items`.", { param: "subscription_details[proration_date]" });

  const change = planChange(account, subscription, details);
  const { target, prorations } = change;
  if (!change.isBilledNow && (isOver(target) || ends(target))) {
    const words = `No upcoming invoices for customer: '${customer.id}'`;
    throw invalid(words, { code: "invoice_upcoming_none" }, 404);
  }
  const next = change.isBilledNow ? billedNow(account, change) : renewed(account, change);
  const owner = change.isBilledNow ? target : scheduledAt(account, target, next.at);
  const id = account.newId("upcoming_in");
  const sweeps = pendingItems(account, subscription.id).map((item) => ({ id: "", item }));
  const lines = [...prorations.toReversed(), ...sweptLines(account, id, sweeps), ...next.lines];
  // Discounts that have ended by then do not apply.
  const reductions = account.at(next.at, () => reductionsOf(account, owner, invoices.discountable(next.lines)));
  const invoice = invoiceObject({
    id,
    created: next.at,
    customer,
    subscription: target,
    reason: "upcoming",
    period: next.past,
    lines: lines.map((line) => lineObject({ ...line, id: account.newId("il_tmp"), invoice: id, reductions })),
    reductions,
  });
  const date = details.proration_date ?? account.now();
  return {
    ...invoice,
    parent: invoice.parent && {
      ...invoice.parent,
      subscription_details: invoice.parent.subscription_details && {
        ...invoice.parent.subscription_details,
        ...(prorations.length > 0 && { subscription_proration_date: date }),
      },
    },
    ending_balance: settlement(invoice.starting_balance, invoice.total).ending,
    next_payment_attempt: next.at,
  };
}

function subscriptionOf(account: Account, params: Preview): Stripe.Subscription {
  const { subscription, schedule, subscription_details: details, schedule_details: phases } = params;
  if ((subscription ?? details) !== undefined && (schedule ?? phases) !== undefined)
    throw invalid("You cannot specify `schedule` or `schedule_details` with `subscription` or `subscription_details`.");
  if (phases !== undefined) throw notModelled("previews of the phases of a schedule", "schedule_details");
  if (schedule !== undefined) {
    const owner = named(account, "subscription_schedule", schedule, "schedule").subscription;
    const scheduled = account.get("subscription", owner);
    if (!scheduled) throw invalid(`The schedule ${schedule} has no subscription.`, { param: "schedule" });
    return scheduled;
  }
  if (subscription === undefined) throw notModelled("previews without a subscription", "subscription");
  return named(account, "subscription", subscription, "subscription");
}

const ends = ({ cancel_at: at, items }: Stripe.Subscription): boolean =>
  at !== null && at <= (items.data[0]?.current_period_end ?? 0);

type Next = {
  readonly at: number;
  readonly lines: readonly LineFields[];
  readonly past: Period;
};

const billedNow = (account: Account, { cycle, past }: PriceChange): Next => ({
  at: account.now(),
  lines: cycle === null ? [] : [cycle],
  past,
});

/** The renewal at the end of the period, also by a phase of the schedule that starts then. */
function renewed(account: Account, { target }: PriceChange): Next {
  const [item] = target.items.data;
  if (!item) throw new Error("A subscription has an item");
  const at = item.current_period_end;
  const next = scheduledAt(account, target, at).items.data[0] ?? item;
  const period = { start: at, end: periodEnd(at, target.billing_cycle_anchor, next.plan) };
  const past = { start: item.current_period_start, end: at };
  return { at, lines: [periodLine(account, next, period, priceOf(next))], past };
}
