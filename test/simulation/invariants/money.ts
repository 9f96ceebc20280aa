import type Stripe from "stripe";
import type { StoredMember } from "#lib/store/members/item.ts";
import {
  chargesFor,
  customerOf,
  disputeOf,
  invoicesOf,
  isRejected,
  look,
  monthlyOf,
  paidElsewhere,
  paidOn,
  refundsOf,
  subscriptionsOf,
} from "../world/dashboard.ts";
import { membersOf, ofKind, tiersOf } from "../world/records.ts";
import type { World } from "../world/world.ts";

const names: Readonly<Record<string, string>> = { incomplete_expired: "canceled", paused: "unpaid" };
const live: readonly string[] = ["active", "trialing", "past_due", "unpaid"];

const counts = ({ status }: Stripe.Refund): boolean => status !== "failed" && status !== "canceled";

const sumOf = (refunds: readonly Stripe.Refund[]): number =>
  refunds.filter(counts).reduce((sum, { amount }) => sum + amount, 0);

/** Each operation refunds once. Stripe refuses to refund more than a charge. */
export function assertRefunds(world: World): void {
  const ofOperations = refundsOf(world).filter(({ metadata }) => metadata?.operation_id?.startsWith("op_"));
  for (const [operation, refunds] of Map.groupBy(ofOperations, ({ metadata }) => metadata?.operation_id))
    if (refunds.filter(counts).length > 1) world.violate("one effect", `operation ${operation} refunded twice`);
}

/** Much longer than the maximum clock skew between functions, in milliseconds. */
const skew = 120_000;

/** No member stays on a tier that was archived before they joined. */
export function assertNobodyJoinsArchived(world: World): void {
  const archived = new Map(
    tiersOf(world).flatMap((tier) => (tier.status === "archived" ? [[String(tier.id), tier]] : [])),
  );
  for (const { id, created, metadata, customer, status, items } of subscriptionsOf(world)) {
    const tier = metadata.operation_id === undefined ? undefined : archived.get(metadata.tier_id ?? "");
    // The subscription may have been moved to another tier in Stripe's dashboard.
    const isStill = items.data.some(({ price }) => price.metadata.tier_id === metadata.tier_id);
    if (!tier || !isStill || !live.includes(status) || customerOf(world, customer as string)?.deleted) continue;
    if (created * 1000 > Date.parse(tier.updated_at) + skew)
      world.violate("archived", `${id} was made after tier ${tier.id} was archived`);
  }
}

/** Checkout pages show the names of products. */
export function assertProductNames(world: World): void {
  for (const { id, name } of tiersOf(world)) {
    const product = look(world, (account) => account.get("product", `odis_tier_${id}`));
    if (product && !product.deleted && product.name !== name)
      world.violate("as at Stripe", `tier ${id} is named ${name}, its product ${product.name}`);
  }
}

/** Odis cancels only its own subscriptions as rejected, and refunds them in full. */
export function assertRejections(world: World): void {
  for (const { id, metadata, customer } of subscriptionsOf(world).filter(isRejected)) {
    if (metadata.operation_id === undefined)
      world.violate("rejections", `${id} was rejected, which somebody else made`);
    const open = invoicesOf(world, id).find(({ status }) => status === "open");
    if (open) world.violate("rejections", `${id} was rejected, and ${open.id} can still be paid`);
    // Payments that settle after the customer was deleted are not refunded.
    if (customerOf(world, customer as string)?.deleted) continue;
    for (const { amount_captured, ...charge } of chargesFor(world, id)) {
      // A refund that the bank returns later is not repeated.
      const made = refundsOf(world, charge.id).reduce((sum, { amount }) => sum + amount, 0);
      if (made < amount_captured && disputeOf(world, charge.id)?.status !== "lost")
        world.violate("rejections", `${id} was rejected, and ${charge.id} is not refunded in full`);
    }
  }
}

/** Stored members match Stripe. The expected values are computed without the code under test. */
export function assertAsAtStripe(world: World): void {
  for (const member of membersOf(world)) {
    const { stripe_customer_id: customer, sync_version } = member;
    if (customer === null || sync_version === 0) continue;
    // The subscriptions that an import found are unknown once the member has another customer.
    const isReplaced = (one: Stripe.Subscription) =>
      one.metadata.imported !== undefined &&
      one.customer !== customer &&
      customerOf(world, one.customer as string)?.deleted;
    if (!(member.imported && subscriptionsOf(world).some(isReplaced))) assertSums(world, member);
    const atStripe = customerOf(world, customer);
    // The objects of a deleted customer are no longer at Stripe.
    if (!atStripe || atStripe.deleted) continue;
    assertAddress(world, member, atStripe);
    const subscriptions = subscriptionsOf(world, customer);
    assertStatus(world, member, subscriptions);
    const ours = subscriptions.filter(({ metadata }) => metadata.member_id === String(member.id));
    const alive = ours.filter(({ status }) => live.includes(status));
    if (alive.length > 1)
      world.violate("one subscription", `member ${member.id} has ${alive.length} live subscriptions`);
  }
}

/** A customer may lack the address of an import. */
function assertAddress(world: World, member: StoredMember, { shipping }: Stripe.Customer): void {
  const { id, erased_at, imported, shipping_address } = member;
  const [here, there] = [shipping_address?.line1, shipping?.address?.line1 ?? undefined];
  if (erased_at !== undefined || here === there || (imported && there === undefined)) return;
  world.violate("as at Stripe", `member ${id} has the address ${here}, Stripe ${there}`);
}

function assertStatus(world: World, member: StoredMember, subscriptions: readonly Stripe.Subscription[]): void {
  const { id, status, tier_id, current_period_end, cancel_at_period_end } = member;
  const shown = subscriptions.find((one) => one.id === member.stripe_subscription_id);
  const [item] = shown?.items.data ?? [];
  if (!shown || !item) return;
  const differ = (what: string, here: unknown, there: unknown) => {
    if (here !== there)
      world.violate("as at Stripe", `member ${id} has ${what} ${String(here)}, Stripe ${String(there)}`);
  };
  differ("status", status, names[shown.status] ?? shown.status);
  differ("period end", current_period_end, new Date(item.current_period_end * 1000).toISOString());
  const endsWithPeriod = shown.cancel_at_period_end || (shown.cancel_at ?? Infinity) <= item.current_period_end;
  differ("cancel_at_period_end", cancel_at_period_end, endsWithPeriod && shown.ended_at === null);
  const isPaying = ["active", "past_due"].includes(shown.status) && shown.pause_collection === null;
  const monthly = isPaying ? monthlyOf(world, shown).map((cents) => Math.max(0, cents)) : [0];
  const { interval, interval_count } = item.price.recurring ?? {};
  // Each invoice is rounded to the cent.
  const invoices = interval === "day" ? 31 : interval === "week" ? 4.5 : 1;
  if (!monthly.some((cents) => Math.abs(member.monthly_cents - cents) <= 0.5001 * invoices))
    differ("monthly amount", member.monthly_cents, monthly.join(" or "));
  const isPlain = interval_count === 1 && (interval === "month" || interval === "year");
  if (member.erased_at === undefined) differ("interval", member.interval, isPlain ? interval : null);
  if (!isPaying && shown.status !== "trialing") differ("price", member.price_cents, null);
  const isOver = endsWithPeriod || !live.includes(shown.status);
  const planned = isOver ? undefined : plannedFor(world, member, shown);
  differ("scheduled change", textOf(member.scheduled_change), planned);
  const tier = Number(item.price.metadata.tier_id);
  const isOurs = tiersOf(world).some((one) => one.id === tier && one.community_id === member.community_id);
  if (isOurs) differ("tier", tier_id, tier);
}

const textOf = (change: StoredMember["scheduled_change"]) =>
  change ? `${change.tier.id} by the ${change.interval} from ${change.at} on` : undefined;

/** The next phase of a subscription's schedule, if Odis has made it or its price is a current one of the community's. */
function plannedFor(
  world: World,
  { community_id }: StoredMember,
  { schedule, items }: Stripe.Subscription,
): string | undefined {
  const made = look(world, (account) => account.get("subscription_schedule", schedule));
  const current = made?.current_phase;
  const next = current && made.phases.find(({ start_date }) => start_date >= current.end_date);
  const price = look(world, (account) => account.get("price", next?.items[0]?.price));
  if (!next || !price || price.id === items.data[0]?.price.id) return undefined;
  const { tier_id } = price.metadata;
  const tier = tiersOf(world).find((one) => String(one.id) === tier_id && one.community_id === community_id);
  const isCurrent = tier?.stripe_price_id === price.id || tier?.yearly_stripe_price_id === price.id;
  if (!isCurrent && made.metadata?.made_by !== "odis") return undefined;
  return `${tier_id} by the ${price.recurring?.interval} from ${new Date(next.start_date * 1000).toISOString()} on`;
}

/** Stored payments and refunds have the days that Stripe has. */
function assertDays(
  world: World,
  { id, paid_cents_by_day, refunds: listed, older_refunds_cents }: StoredMember,
  { own, refunds }: { readonly own: readonly string[]; readonly refunds: readonly Stripe.Refund[] },
): void {
  const differ = (what: string, here: Iterable<Amount>, there: Iterable<Amount>) => {
    const [is, must] = [byDay(here), byDay(there)];
    if (is !== must) world.violate("sums", `member ${id} was ${what} ${is}, at Stripe ${must}`);
  };
  const paid = own.flatMap((subscription) => paidOn(world, subscription));
  differ("paid", Object.entries(paid_cents_by_day), paid);
  const given = refunds.filter(counts);
  const kept = listed.filter(({ status }) => status !== "failed" && status !== "canceled");
  differ(
    "refunded",
    [
      ...kept.map(({ issued_at, amount_cents }): Amount => [issued_at.slice(0, 10), amount_cents]),
      ...Object.entries(older_refunds_cents),
    ],
    given.map(({ created, amount }): Amount => [new Date(created * 1000).toISOString().slice(0, 10), amount]),
  );
}

type Amount = readonly [day: string, cents: number];

function byDay(amounts: Iterable<Amount>): string {
  const sums = new Map<string, number>();
  for (const [day, cents] of amounts) sums.set(day, (sums.get(day) ?? 0) + cents);
  return JSON.stringify([...sums].filter(([, cents]) => cents !== 0).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Longer than any request, in seconds. */
const minute = 60;

/**
 * The subscriptions of a member at Stripe, including those of deleted customers. `was` is a removed label. If several
 * subscriptions existed before an import, returns the one that the import found. Returns none if the only one had ended before,
 * or has ended or has moved to a tier of another community since.
 */
function ownOf(world: World, member: StoredMember): Stripe.Subscription[] {
  const all = subscriptionsOf(world);
  const importedAt = Date.parse(member.imported?.at ?? member.created_at) / 1000;
  const isElsewhere = ({ items }: Stripe.Subscription) =>
    items.data.every(({ price }) => price.metadata.community_id !== String(member.community_id));
  const seen = new Set(ofKind(world, "subscription").map(({ subscription_id }) => subscription_id));
  const hadEnded = ({ id, ended_at }: Stripe.Subscription) =>
    !seen.has(id) && ended_at !== null && ended_at - importedAt < minute;
  const isMissed = (subscription: Stripe.Subscription) =>
    hadEnded(subscription) ||
    (member.stripe_subscription_id === null &&
      (isElsewhere(subscription) || Math.abs((subscription.ended_at ?? 0) - importedAt) < minute));
  const isPaidBefore = ({ id, metadata }: Stripe.Subscription) =>
    metadata.was_incomplete !== undefined &&
    id === member.stripe_subscription_id &&
    world.billing
      .versionsOf(id)
      .some(({ at, subscription }) => live.includes(subscription.status) && at - importedAt < minute);
  const imported = all.filter(
    (one) => (one.metadata.imported !== undefined || isPaidBefore(one)) && one.customer === member.stripe_customer_id,
  );
  return [
    ...all.filter(
      (one) =>
        (one.metadata.member_id || one.metadata.was) === String(member.id) && (seen.has(one.id) || !isElsewhere(one)),
    ),
    ...imported.filter((one) => one.id === member.stripe_subscription_id || (imported.length === 1 && !isMissed(one))),
  ];
}

function assertSums(world: World, member: StoredMember): void {
  const own = ownOf(world, member).map(({ id }) => id);
  const charges = own.flatMap((subscription) => chargesFor(world, subscription));
  const refunds = charges.flatMap(({ id }) => refundsOf(world, id));
  const opening = member.opening ?? { lifetime_spend_cents: 0, total_refunded_cents: 0 };
  const elsewhere = own.reduce((sum, subscription) => sum + paidElsewhere(world, subscription), 0);
  const collected = charges.reduce((sum, { amount_captured }) => sum + amount_captured, 0);
  const paid = opening.lifetime_spend_cents + collected + elsewhere;
  const refunded = sumOf(refunds);
  const { id, lifetime_spend_cents, total_refunded_cents } = member;
  const [spend, given] = [paid - refunded, refunded + opening.total_refunded_cents];
  if (total_refunded_cents !== given || lifetime_spend_cents !== spend)
    world.violate(
      "sums",
      `member ${id} has ${lifetime_spend_cents} and ${total_refunded_cents}, Stripe ${spend} and ${given}`,
    );
  assertDays(world, member, { own, refunds });
  const listed = (entries: readonly { id: string; status: string | null }[]) =>
    entries
      .map((one) => `${one.id} ${one.status}`)
      .toSorted()
      .join();
  const kept = member.refunds.map(({ refund_id, status }) => ({ id: refund_id, status }));
  if (refunds.length <= 100 && listed(kept) !== listed(refunds))
    world.violate("sums", `member ${id} shows other refunds than Stripe has`);
}
