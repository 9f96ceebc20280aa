import type Stripe from "stripe";
import { idOf } from "#lib/billing/snapshot.ts";
import type { Operation } from "#lib/domain/operation.ts";
import type { Item } from "#lib/store/expression.ts";
import { type Key, kindOf } from "#lib/store/keys.ts";
import { isChange } from "../actors/own-changes.ts";
import { itemFromWire } from "../table/native.ts";
import { chargesOf, customerOf, invoicesOf, look, subscriptionsOf } from "../world/dashboard.ts";
import type { World } from "../world/world.ts";

/**
 * A subscription has at most one change that waits, whose invoice is open, and no other invoice of a change can be paid.
 * Each charge of a change is that of an operation.
 */
export function assertCharges(world: World): void {
  const asked = askedFor(world);
  for (const subscription of subscriptionsOf(world)) {
    const { id, pending_update: update } = subscription;
    const customer = idOf(subscription.customer) ?? "";
    if (customerOf(world, customer)?.deleted) continue;
    // A payment that is processing counts as made. If it fails later, the subscription is past due or ends.
    const isSettling =
      subscription.status !== "active" || chargesOf(world, customer).some((charge) => charge.status === "pending");
    const changes = invoicesOf(world, id).filter(
      (invoice) =>
        isChange(invoice) && invoice.lines.data.some(({ parent }) => parent?.subscription_item_details?.proration),
    );
    const open = changes.filter(({ status }) => status === "open").map((invoice) => invoice.id);
    const waiting = update ? [idOf(subscription.latest_invoice)] : [];
    if (!isSettling && open.join() !== waiting.join())
      world.violate("charges", `${id} waits for ${waiting.join()}, and ${open.join()} can be paid`);
    const paid = changes.filter(({ status, amount_paid }) => status === "paid" && amount_paid > 0).length;
    const operations = asked.get(id)?.size ?? 0;
    if (paid > operations)
      world.violate("charges", `${id} was charged for ${paid} changes, and ${operations} were asked for`);
  }
}

/** The clocks of functions differ from Stripe's by less, in seconds. */
const skew = 600;

/** Whether a line bills its period, or gives it back. What is left of a cheap period can be 0 cents. */
const signOf = ({ amount, description }: Stripe.InvoiceLineItem): number =>
  Math.sign(amount) || (description?.startsWith("Unused time") ? -1 : 0);

/**
 * No time of a subscription is billed twice, unless it was changed in the dashboard: what is left of a period is credited before
 * another one begins. A line of an invoice bills its period, or gives it back.
 */
export function assertBilledOnce(world: World): void {
  for (const { id, pending_update: update, latest_invoice } of subscriptionsOf(world)) {
    if (world.changedElsewhere.has(id)) continue;
    const billed = invoicesOf(world, id).filter(
      (invoice) => ["paid", "open"].includes(String(invoice.status)) && !(update && invoice.id === latest_invoice),
    );
    const bounds = billed
      .flatMap(({ lines }) => lines.data)
      .filter(({ parent }) => parent?.type === "subscription_item_details")
      .flatMap((line) => [
        { at: line.period.start, by: signOf(line) },
        { at: line.period.end, by: -signOf(line) },
      ])
      .filter(({ by }) => by !== 0)
      .toSorted((a, b) => a.at - b.at);
    let times = 0;
    for (const [n, { at, by }] of bounds.entries()) {
      times += by;
      const until = bounds[n + 1]?.at ?? at;
      if (times > 1 && until - at > skew)
        world.violate("charges", `${id} is billed ${times} times from ${at} to ${until}`);
    }
  }
}

/**
 * An active schedule that Odis made is that of the newest change of the subscription, and no change waits beside it. Its only later
 * phase has the price that was asked for.
 */
export function assertScheduled(world: World): void {
  const newest = newestChanges(world);
  const operations = new Map(operationsOf(world).map((operation) => [operation.id, operation]));
  for (const { id, schedule, pending_update } of subscriptionsOf(world)) {
    const planned = look(world, (account) => account.get("subscription_schedule", idOf(schedule) ?? ""));
    // The schedule of a subscription that ended is canceled, and plans nothing.
    if (planned?.status !== "active" || planned.metadata?.made_by !== "odis" || world.changedElsewhere.has(id))
      continue;
    const { operation_id } = planned.metadata;
    if (pending_update) world.violate("schedules", `${id} has a schedule, and a change that waits for its payment`);
    // The schedule completes a change that crashed.
    const operation = operations.get(String(operation_id));
    if (operation_id !== newest.get(id) && operation?.state !== "open")
      world.violate("schedules", `${id} has the schedule of ${operation_id}, although ${newest.get(id)} came later`);
    if (operation?.intent.kind !== "change") continue;
    const { tier_id, interval, cents } = operation.intent;
    const [is, must] = [plannedIn(world, planned).join(", "), `${tier_id} for ${cents} a ${interval}`];
    if (is !== must) world.violate("schedules", `${id} has ${is} planned, although ${must} was asked for`);
  }
}

/** The tier and the price of each phase of a schedule that has not begun, or of the last one. */
const plannedIn = (world: World, { phases, current_phase: current }: Stripe.SubscriptionSchedule): string[] => {
  const later = phases.filter(({ start_date }) => current && start_date >= current.end_date);
  return (later.length > 0 ? later : phases.slice(-1)).map(({ items }) => {
    const { metadata, unit_amount, recurring } =
      look(world, (account) => account.get("price", idOf(items[0]?.price) ?? "")) ?? {};
    return `${metadata?.tier_id} for ${unit_amount} a ${recurring?.interval}`;
  });
};

/** A change that waited when its subscription was canceled through Odis cannot be paid afterwards. */
export function assertDropped(world: World): void {
  for (const { state, intent, created_at } of operationsOf(world)) {
    if (intent.kind !== "cancel" || intent.subscription_id === null || state !== "done") continue;
    // A change in the dashboard is made at once, and its invoice is owed.
    if (world.changedElsewhere.has(intent.subscription_id)) continue;
    const subscription = subscriptionsOf(world).find(({ id }) => id === intent.subscription_id);
    // A payment that was processing counted as made, and failed since.
    if (subscription && subscription.status !== "canceled" && !subscription.pending_update) continue;
    const before = Date.parse(created_at) / 1000 - skew;
    for (const { id, customer, status, created } of invoicesOf(world, intent.subscription_id).filter(isChange)) {
      const isSettling = chargesOf(world, idOf(customer) ?? "").some((charge) => charge.status === "pending");
      if (status === "open" && created < before && !isSettling && !wasMade(world, intent.subscription_id, id))
        world.violate("charges", `${id} can be paid, although ${intent.subscription_id} was canceled after it`);
    }
  }
}

/** Whether a subscription had the price of a change, because its payment was processing. Since then, the payment has failed. */
function wasMade(world: World, subscription: string, invoice: string): boolean {
  const lines = invoicesOf(world, subscription).find(({ id }) => id === invoice)?.lines.data ?? [];
  const prices = lines.filter(({ amount }) => amount > 0).map(({ pricing }) => idOf(pricing?.price_details?.price));
  return world.billing
    .versionsOf(subscription)
    .map((version) => version.subscription)
    .some(
      ({ latest_invoice: latest, pending_update: update, items }) =>
        idOf(latest) === invoice && !update && prices.includes(items.data[0]?.price.id),
    );
}

/** The change of each subscription, or withdrawal of one, that was begun last of those that were made. */
function newestChanges(world: World): Map<string, string> {
  const states = new Map<string, string>();
  const begun = new Map<string, number>();
  const newest = new Map<string, string>();
  for (const [n, { id, state, intent }] of operationsOf(world).entries()) {
    if (intent.kind !== "change" && intent.kind !== "unschedule") continue;
    // A change that was refused begins again with the next attempt.
    if (state === "open" && states.get(id) !== "open") begun.set(id, n);
    states.set(id, state);
    const before = newest.get(intent.subscription_id) ?? "";
    if (state === "done" && (begun.get(id) ?? 0) >= (begun.get(before) ?? 0)) newest.set(intent.subscription_id, id);
  }
  return newest;
}

/** The operations that were to charge a change, by subscription. Completed operations are removed after some time. */
function askedFor(world: World): Map<string, Set<string>> {
  const asked = new Map<string, Set<string>>();
  for (const { id, intent } of operationsOf(world)) {
    if (intent.kind !== "change" || !intent.charge) continue;
    asked.set(intent.subscription_id, (asked.get(intent.subscription_id) ?? new Set()).add(id));
  }
  return asked;
}

/** All versions of all operations, in the order in which they were stored. */
const operationsOf = (world: World): Operation[] =>
  world.changes.flatMap(({ record: { dynamodb } }) =>
    dynamodb.NewImage && kindOf(native(dynamodb.Keys) as Key) === "operation"
      ? [native(dynamodb.NewImage) as Operation]
      : [],
  );

const native = (image: Parameters<typeof itemFromWire>[0]): Item => itemFromWire(image, (list) => list);
