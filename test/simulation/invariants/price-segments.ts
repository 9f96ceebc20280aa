import type Stripe from "stripe";
import { idOf } from "#lib/billing/snapshot.ts";
import type { Version } from "../world/billing-record.ts";
import { look } from "../world/dashboard.ts";
import type { World } from "../world/world.ts";

/** A part of a billing period in which a subscription has one price. Times are in seconds. */
type Segment = {
  /** The price of the whole period, less discounts. */
  readonly cents: number;
  readonly start: number;
  readonly end: number;
  /** The length of the whole period. */
  readonly period: number;
};

/** A version of a subscription with another price, quantity or period than the one before. */
type Change = {
  readonly before: Version | undefined;
  readonly after: Version;
  readonly prorations: readonly Stripe.InvoiceItem[];
};

/**
 * The prices that a subscription had, from its versions at Stripe. The last period counts to its end, because an immediate
 * cancellation refunds nothing.
 */
export function segmentsOf(world: World, versions: readonly Version[]): readonly Segment[] {
  if (versions.some(({ subscription }) => subscription.status === "incomplete_expired")) return [];
  let segments: readonly Segment[] = [];
  let before: Version | undefined;
  let held: readonly Stripe.InvoiceItem[] = [];
  for (const after of versions) {
    // The prorations of a change that waits for its payment are made before the change.
    const prorations = [...(isApplied(before, after) ? held : []), ...after.prorations];
    if (after.subscription.pending_update && !before?.subscription.pending_update) held = after.prorations;
    if (!before || termsOf(before) !== termsOf(after))
      segments = changed(world, segments, { before, after, prorations });
    before = after;
  }
  return segments;
}

/** Whether the change that has waited in the version before is made. Other changes may be made while it waits. */
function isApplied(before: Version | undefined, after: Version): boolean {
  const [waiting] = before?.subscription.pending_update?.subscription_items ?? [];
  const item = itemOf(after);
  return waiting !== undefined && waiting.price.id === item?.price.id && waiting.quantity === item.quantity;
}

const itemOf = (version: Version | undefined): Stripe.SubscriptionItem | undefined =>
  version?.subscription.items.data[0];

function termsOf(version: Version): string {
  const { price, quantity, current_period_start: start, current_period_end: end } = itemOf(version) ?? {};
  return [price?.id, quantity, start, end].join();
}

function changed(world: World, segments: readonly Segment[], change: Change): readonly Segment[] {
  const item = itemOf(change.after);
  if (!item) return segments;
  const { current_period_start: start, current_period_end: end } = item;
  const segment = { cents: priceOf(world, change), start, end, period: end - start };
  if (isRenewal(change)) return [...segments, segment];
  const isReset = isResetBy(change);
  // A change without prorations counts from the next renewal on.
  if (!isProrated(world, change)) return isReset ? [...segments, segment] : segments;
  const date = prorationDateOf(world, change);
  return [
    ...segments.map((one) => ({ ...one, end: Math.max(one.start, Math.min(one.end, date)) })),
    isReset ? segment : { ...segment, start: Math.min(date, end) },
  ];
}

/** Whether a period begins where the one before has ended. That of a new subscription begins likewise. */
const isRenewal = ({ before, after }: Change): boolean =>
  !before || itemOf(after)?.current_period_start === itemOf(before)?.current_period_end;

/** Whether a change begins a new period. Of two in one second, the second has the anchor of the first, and another invoice. */
function isResetBy({ before, after }: Change): boolean {
  const [was, is] = [before?.subscription, after.subscription];
  const isSecond = after.at === is.billing_cycle_anchor && idOf(was?.latest_invoice) !== idOf(is.latest_invoice);
  const isNew = is.billing_cycle_anchor !== was?.billing_cycle_anchor || isSecond;
  return isNew && is.billing_cycle_anchor === itemOf(after)?.current_period_start;
}

/** Only people in the dashboard change a price without prorations. A change that Odis charges has a new `change_id`. */
const isProrated = (world: World, { before, after: { subscription }, prorations }: Change): boolean =>
  prorations.length > 0 ||
  subscription.metadata.change_id !== before?.subscription.metadata.change_id ||
  !world.changedElsewhere.has(subscription.id);

/**
 * How long before a change its prorations may begin, in seconds: a preview is valid for ten minutes, and a charge is retried for
 * an hour after it was asked for (`docs/api.md`, section 3, "Change").
 */
const longestPreview = 4200;

/** The clocks of functions are ahead of Stripe's by less, in seconds. */
const skew = 60;

/** When a change is prorated: from the time of its preview on. */
function prorationDateOf(world: World, { after: { at, subscription }, prorations }: Change): number {
  const [first] = prorations;
  if (!first) return at;
  const date = Math.min(...prorations.map(({ period }) => period.start));
  if (date < first.date - longestPreview || date > first.date + skew)
    world.violate("invoices", `${subscription.id} was changed at ${first.date}, and is prorated from ${date} on`);
  return date;
}

/** The price of a whole period in cents, less the discounts that apply when it is billed. */
function priceOf(world: World, { before, after, prorations }: Change): number {
  const { status, pause_collection: pause } = after.subscription;
  if (status === "trialing") return 0;
  // These periods have no invoice, or a void one.
  if (isRenewal({ before, after, prorations }) && (status === "unpaid" || pause?.behavior === "void")) return 0;
  const item = itemOf(after);
  const billedAt = prorations[0]?.date ?? after.at;
  return discountsAt(world, { before, after }).reduce(
    (left, { end, coupon }) => {
      if (end !== null && end <= billedAt) return left;
      const off = coupon.percent_off === null ? coupon.amount_off : Math.round((left * coupon.percent_off) / 100);
      return left - Math.min(left, off ?? 0);
    },
    (item?.price.unit_amount ?? 0) * (item?.quantity ?? 1),
  );
}

/**
 * The discounts of an invoice, which removes those for a single one from the subscription. A phase that leaves out a discount
 * removes it before its first invoice.
 */
function discountsAt(world: World, { before, after }: Pick<Change, "before" | "after">) {
  const left = idsOf(after);
  const used = idsOf(before).filter((id) => left.includes(id) || discountOf(world, id)?.coupon.duration === "once");
  const phase = phaseBegunWith(world, { before, after });
  const isKept = (id: string) => !phase || phase.discounts.some(({ discount }) => idOf(discount) === id);
  return [...new Set([...used.filter(isKept), ...left])].flatMap((id) => discountOf(world, id) ?? []);
}

/** The phase that a change is the start of. A schedule is created in its first phase. */
function phaseBegunWith(world: World, { before, after }: Pick<Change, "before" | "after">) {
  const id = idOf(after.subscription.schedule) ?? idOf(before?.subscription.schedule);
  const schedule = look(world, (account) => account.get("subscription_schedule", id));
  return schedule?.phases.slice(1).find(({ start_date: start }) => start === after.at);
}

const idsOf = (version: Version | undefined): string[] =>
  (version?.subscription.discounts ?? []).flatMap((discount) => idOf(discount) ?? []);

const discountOf = (world: World, id: string) =>
  look(world, (account) => {
    const discount = account.get("discount", id);
    const coupon = account.get("coupon", discount?.source.coupon);
    return discount && coupon && { end: discount.end, coupon };
  });
