import Stripe from "stripe";
import { keys } from "#lib/store/keys.ts";
import * as members from "#lib/store/members/members.ts";
import { write } from "#lib/store/write.ts";
import { handler as createSession } from "../../../functions/checkout/create-session.ts";
import { handler as webhook } from "../../../functions/webhooks/stripe.ts";
import { addProfile } from "../../../tools/local/users.ts";
import { aCommunity, aMember, type GivenCommunity } from "../../support/given.ts";
import { Chance } from "../chance.ts";
import { Timeline } from "../timeline.ts";
import { functionsOn } from "./functions.ts";
import { hour, month, price, type Renewal } from "./objects.ts";
import { LimitedStripe, type RateLimits, type StripeEvent } from "./stripe.ts";

export type DayOptions = {
  readonly renewals: number;
  /** Number of members who renew in the first minute, as after an import of many members. */
  readonly together: number;
  /** Mode of the Stripe key, which determines the rate limits. */
  readonly livemode: boolean;
  readonly limits: RateLimits;
  /** Time between two checkouts, in milliseconds. */
  readonly checkoutEvery: number;
};

const [second, minute, day] = [1000, 60_000, 86_400_000];
const start = Date.UTC(2027, 0, 1);

/** Delays after which Stripe retries a failed delivery, in milliseconds after the last attempt. */
const retries = [5 * minute, 30 * minute, 120 * minute, 300 * minute, 600 * minute, 600 * minute];

/** Simulates a day on which many members renew while people open checkouts. Returns the results. */
export async function renewalDay({ renewals, together, livemode, limits, checkoutEvery }: DayOptions) {
  const timeline = new Timeline(start);
  const stripe = new LimitedStripe(() => timeline.now, limits);
  const functions = functionsOn(timeline, stripe, livemode);
  const { table } = functions;
  const chance = new Chance("renewals");
  const stripe_price_id = "price_renewals";
  const communities = await Promise.all(
    Array.from({ length: 50 }, () => aCommunity(table, { tier: { stripe_price_id } })),
  );
  const counts = { deliveries: 0, putOff: 0, failedDeliveries: 0, failedRuns: 0 };
  const checkouts: { readonly status: number; readonly milliseconds: number }[] = [];
  const running = new Set<Promise<void>>();
  let people = 1;
  let events = 0;

  const at = (time: number, act: () => Promise<void>) =>
    timeline.after(time - timeline.now, () => {
      const work = act().finally(() => running.delete(work));
      running.add(work);
    });

  async function deliver(event: StripeEvent, attempt = 0): Promise<void> {
    const raw = JSON.stringify(event);
    const secret = "whsec_simulation";
    const headers = { "stripe-signature": Stripe.webhooks.generateTestHeaderString({ payload: raw, secret }) };
    const status = await functions.call(webhook, { raw, headers });
    counts.deliveries++;
    if (status < 300) return void stripe.undelivered.delete(event.id);
    counts[status === 429 ? "putOff" : "failedDeliveries"]++;
    stripe.undelivered.set(event.id, event);
    const delay = retries[attempt];
    if (delay !== undefined) at(timeline.now + delay, () => deliver(event, attempt + 1));
  }

  /** Sends Stripe's event about a customer, a moment after the change. */
  function tell(type: StripeEvent["type"], customer: string, time: number): void {
    const created = Math.floor(time / second);
    const object = { id: `of_${customer}`, object: type === "invoice.paid" ? "invoice" : "subscription", customer };
    const id = `evt_${created}_${String(++events).padStart(9, "0")}`;
    const event: StripeEvent = { id, object: "event", type, created, livemode, data: { object } };
    at(time + 500 + chance.next() * 2000, () => deliver(event));
  }

  async function renew(community: GivenCommunity, customer: string, time: number): Promise<void> {
    const renewsAt = Math.floor(time / second);
    const member = await aMember(table, community, {
      stripe_customer_id: customer,
      stripe_subscription_id: `sub_${customer}`,
      current_period_start: new Date((renewsAt - month) * second).toISOString(),
      current_period_end: new Date(renewsAt * second).toISOString(),
    });
    const link = { customer_id: customer, community_id: community.id, member_id: member.id, user_id: member.user.id };
    await write(table, [{ put: { ...keys.customer(customer), ...link } }]);
    stripe.renewals.set(customer, { customer, member_id: member.id, tier_id: community.tier.id, renewsAt });
    tell("customer.subscription.updated", customer, time);
    tell("invoice.paid", customer, time + hour * second);
  }

  async function checkOut(community: GivenCommunity): Promise<void> {
    const id = people++;
    await addProfile(table, { id, username: `shopper${id}`, first_name: "Ana", last_name: "Peña" });
    const from = timeline.now;
    const status = await functions.call(createSession, {
      as: { id },
      params: { community_id: community.id },
      body: {
        tier_id: community.tier.id,
        success_url: "https://app.example/yes",
        cancel_url: "https://app.example/no",
      },
    });
    checkouts.push({ status, milliseconds: timeline.now - from });
  }

  const communityOf = (n: number) => communities[n % communities.length] as GivenCommunity;
  for (let n = 0; n < renewals; n++) {
    const time = start + minute + (n < together ? chance.next() * minute : chance.next() * (day - 2 * minute));
    at(time, () => renew(communityOf(n), `cus_${n}`, time));
  }
  for (let time = start; time < start + day; time += checkoutEvery)
    at(time + chance.next() * checkoutEvery, () => checkOut(communityOf(Math.floor(time / second))));
  for (let time = start + 15 * minute; time < start + 2 * day; time += 15 * minute)
    at(time, async () => {
      const { failed } = await functions.reconcile();
      counts.failedRuns += failed > 0 ? 1 : 0;
    });

  await timeline.until(timeline.wait(2 * day));
  await timeline.until(Promise.all(running));
  let wrong = 0;
  for (const renewal of stripe.renewals.values()) if (await isWrong(renewal)) wrong++;
  return { stripe, checkouts, ...counts, events, wrong };

  /** Whether a member differs from Stripe's state at the end of the day. */
  async function isWrong({ customer, renewsAt }: Renewal): Promise<boolean> {
    const link = await table.get(keys.customer(customer));
    const member = await members.find(table, Number(link?.community_id), Number(link?.member_id));
    const end = new Date((renewsAt + month) * second).toISOString();
    return member?.current_period_end !== end || member.lifetime_spend_cents !== 2 * price;
  }
}

export type DayResult = Awaited<ReturnType<typeof renewalDay>>;
