import type Stripe from "stripe";
import { payInvoice } from "stripe-stand-in/core/invoice-page";
import { idOf } from "#lib/billing/snapshot.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { handler as cancel } from "../../../functions/membership/cancel-subscription.ts";
import { handler as changeOwn } from "../../../functions/subscriptions/change-own.ts";
import { atStripe, chargesOf, invoicesOf, subscriptionsOf } from "../world/dashboard.ts";
import { communitiesOf, membersOf } from "../world/records.ts";
import { isOk } from "../world/requests.ts";
import type { World } from "../world/world.ts";
import { origin, type Scene, tried } from "./scene.ts";

const hour = 3600;

/** A member changes their own tier or interval, in half of the cases as it was previewed. */
export async function changeOwnPlan(scene: Scene): Promise<void> {
  const { chance, world } = scene;
  const member = (!scene.subject() && chance.is(0.4) && changingTheirMind(scene)) || scene.member();
  if (!member) return;
  const call = { as: { id: member.user.id }, params: { community_id: member.community_id } };
  const { tier_id, interval } = anotherPlan(scene, member);
  const wanted = { tier_id, interval, ...(chance.is(0.8) && { return_url: `${origin}/account` }) };
  const preview = chance.is(0.5) ? await scene.call(changeOwn, { ...call, body: { ...wanted, dry_run: true } }) : null;
  if (preview) await world.timeline.wait(chance.next() * (chance.is(0.5) ? 1 : 9) * 60_000);
  const preview_id = preview?.body.preview_id ?? undefined;
  const { body } = await scene.call(changeOwn, { ...call, body: { ...wanted, preview_id } });
  if (typeof body.charged_now_cents !== "number" || body.status === "preview") return;
  const { charged_now_cents: cents } = body;
  // A discount from the dashboard can come between the last preview and the charge, and so can the same change.
  const isChangedElsewhere = world.changedElsewhere.has(String(member.stripe_subscription_id));
  if (isChangedElsewhere) return;
  if (preview_id !== undefined && cents !== preview?.body.charged_now_cents)
    world.violate("charges", `${cents} instead of the previewed ${String(preview?.body.charged_now_cents)}`);
  const now = membersOf(world).find(({ id }) => id === member.id);
  // The customer may have been replaced since the member was picked.
  const customers = [member, now].map((one) => one?.stripe_customer_id);
  if (body.status === "changed" && cents > 0) assertCharged(world, customers, cents);
}

/** A tier and an interval, which may be those of now. In most pairs one of them is another. */
export function anotherPlan(scene: Scene, { community_id, tier_id, interval }: StoredMember) {
  const { chance } = scene;
  if (!scene.subject() || chance.is(0.2))
    return { tier_id: scene.tier(community_id)?.id ?? tier_id, interval: chance.pick([undefined, "month", "year"]) };
  const tiers = scene.tiers(community_id).filter(({ status }) => status !== "archived");
  const isYearly = tiers.some(({ id, yearly_price_dollars }) => id === tier_id && yearly_price_dollars);
  if (interval === "year" || isYearly) return { tier_id, interval: interval === "year" ? "month" : "year" };
  return { tier_id: chance.pick(tiers.filter(({ id }) => id !== tier_id))?.id ?? tier_id, interval: "month" };
}

/** A paying member chooses a more expensive tier, or begins to pay by the year. */
export async function upgrade(scene: Scene): Promise<void> {
  const { chance, world } = scene;
  const open = new Set(communitiesOf(world).flatMap(({ id, status }) => (status === "active" ? [id] : [])));
  const member = scene.pick(
    membersOf(world).filter(
      ({ status, is_blocked, cancel_at, community_id }) =>
        status === "active" && !is_blocked && cancel_at === null && open.has(community_id),
    ),
  );
  if (!member) return;
  const dollars = (tierId: number) =>
    scene.tiers(member.community_id).find(({ id }) => id === tierId)?.monthly_price_dollars ?? 0;
  const dearer = scene
    .tiers(member.community_id)
    .filter(({ id, status }) => status !== "archived" && dollars(id) > dollars(member.tier_id));
  const interval = member.interval === "year" || dearer.length === 0 || chance.is(0.3) ? "year" : "month";
  await scene.call(changeOwn, {
    as: { id: member.user.id },
    params: { community_id: member.community_id },
    body: { tier_id: chance.pick(dearer)?.id ?? member.tier_id, interval, return_url: `${origin}/account` },
  });
}

/** A member whose change is scheduled, or waits for its payment. */
function changingTheirMind(scene: Scene): StoredMember | undefined {
  const waiting = new Set(openChanges(scene.world).map(({ customer }) => customer));
  return scene.pick(
    membersOf(scene.world).filter(
      ({ scheduled_change, stripe_customer_id }) => scheduled_change ?? waiting.has(stripe_customer_id),
    ),
  );
}

const openChanges = (world: World): Stripe.Invoice[] =>
  invoicesOf(world).filter((invoice) => invoice.status === "open" && isChange(invoice));

export const isChange = ({ billing_reason }: Stripe.Invoice): boolean => billing_reason === "subscription_update";

/** Somebody pays the invoice of a change that waits, on its page. */
export async function payChange(scene: Scene): Promise<void> {
  const { world, chance } = scene;
  const invoice = scene.pick(openChanges(world));
  if (!invoice) return;
  const isDeclined = chance.is(0.2);
  await tried(world, `${invoice.id} is paid on its page`, async () =>
    world.stripe.act((account) => payInvoice(account, invoice.id, { isDeclined })),
  );
}

/**
 * A member's change is declined. Some time later they cancel or choose a smaller tier instead, which drops the change
 * that waits.
 */
export async function thinkAgain(scene: Scene): Promise<void> {
  const { chance, world } = scene;
  const member = scene.pick(membersOf(world).filter(({ status }) => status === "active"));
  const tiers =
    member && scene.tiers(member.community_id).toSorted((a, b) => a.monthly_price_dollars - b.monthly_price_dollars);
  const [smallest, largest] = [tiers?.[0], tiers?.at(-1)];
  if (!member || !smallest || !largest) return;
  const call = { as: { id: member.user.id }, params: { community_id: member.community_id } };
  await atStripe(world, "faults", { decline: 1 });
  await scene.call(changeOwn, { ...call, body: { tier_id: largest.id, return_url: `${origin}/account` } });
  const declined = waitingOf(world, member);
  if (declined === undefined) return;
  await world.timeline.wait(chance.next() * 3600_000);
  // A cancellation in the portal leaves the change, and another one through Odis then has nothing to do.
  if (membersOf(world).find(({ id }) => id === member.id)?.cancel_at !== null) return;
  const outcome = chance.is(0.5)
    ? await scene.send(cancel, { ...call, body: { mode: chance.pick(["at_period_end", "immediately"]) } })
    : await scene.send(changeOwn, { ...call, body: { tier_id: smallest.id } });
  const isSettling = chargesOf(world, member.stripe_customer_id ?? "").some(({ status }) => status === "pending");
  // A change in the dashboard ends the one that waits, and leaves its invoice.
  if (!isOk(outcome) || isSettling || world.changedElsewhere.has(String(member.stripe_subscription_id))) return;
  if (invoicesOf(world).find(({ id }) => id === declined)?.status === "open")
    world.violate("charges", `${declined} can still be paid, although member ${member.id} has changed their mind`);
}

/** The invoice of the change of a member's subscription that waits for its payment. */
function waitingOf(world: World, { stripe_subscription_id }: StoredMember): string | undefined {
  const subscription = subscriptionsOf(world).find(({ id }) => id === stripe_subscription_id);
  return subscription?.pending_update ? idOf(subscription.latest_invoice) : undefined;
}

/** A change that was charged has an invoice of that amount, with the prorations of the two prices. */
function assertCharged(world: World, customers: readonly unknown[], cents: number): void {
  const isSettling = chargesOf(world).some(
    ({ customer, status }) => customers.includes(customer) && status === "pending",
  );
  const invoice = invoicesOf(world).find(
    (one) =>
      customers.includes(one.customer) &&
      isChange(one) &&
      one.amount_due === cents &&
      (one.status === "paid" || isSettling),
  );
  if (!invoice)
    return world.violate("charges", `${customers.join()} was told of a charge of ${cents}, which no paid invoice has`);
  const lines = invoice.lines.data;
  const credit = lines.find(({ amount }) => amount < 0);
  const cycle = lines.find(({ parent }) => parent?.subscription_item_details?.proration === false);
  if (cycle && cycle.period.start !== invoice.created)
    world.violate("charges", `${invoice.id} charges a period that did not begin with the change`);
  if (credit && Math.abs(credit.period.start - invoice.created) > 2 * hour)
    world.violate("charges", `${invoice.id} credits a period from ${credit.period.start} on`);
  if (!cycle && !credit) world.violate("charges", `${invoice.id} credits nothing for the price before`);
}
