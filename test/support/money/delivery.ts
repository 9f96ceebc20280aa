import Stripe from "stripe";
import { billingOf } from "#lib/billing/stripe.ts";
import type { Mount } from "#lib/http/handler.ts";
import type { Outside } from "#lib/person/outside.ts";
import { runSchedule } from "#lib/person/schedule.ts";
import type { Writer } from "#lib/store/table.ts";
import { handler as webhook } from "../../../functions/webhooks/stripe.ts";
import { invoke } from "../direct.ts";

export const webhookSecret = "whsec_local";

type Ends = {
  readonly table: Writer;
  readonly stripe: Stripe;
  readonly platform: () => Mount;
  readonly outside: Outside;
};

/** The two ways in which a change at Stripe reaches Odis: events and the schedule. */
export function eventDelivery({ table, stripe, platform, outside }: Ends) {
  /** The last event that `deliverAll` has delivered. */
  let delivered: string | undefined;

  /** Delivers one event, signed, to the webhook. */
  async function deliver(event: Stripe.Event): Promise<number> {
    const payload = JSON.stringify(event);
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret: webhookSecret });
    const call = { raw: payload, headers: { "stripe-signature": signature } };
    return (await invoke(webhook, platform(), call)).status ?? 0;
  }

  /** The events after one, oldest first; without one, all of the last 30 days, which Stripe keeps. */
  async function eventsSince(last: string | undefined): Promise<Stripe.Event[]> {
    const events: Stripe.Event[] = [];
    // Small pages, because most callers list events after each step.
    for await (const event of stripe.events.list({ limit: 10 })) {
      if (event.id === last) break;
      events.unshift(event);
    }
    return events;
  }

  /** Delivers all events since the last delivery, in order. */
  async function deliverAll(): Promise<void> {
    for (const event of await eventsSince(delivered)) {
      delivered = event.id;
      await deliver(event);
    }
  }

  return {
    deliver,
    deliverAll,
    eventsSince,

    /** The id of the newest event. */
    async lastEvent(): Promise<string | undefined> {
      const { data } = await stripe.events.list({ limit: 1 });
      return data[0]?.id;
    },

    /** Delivers all events of a customer again, as Stripe does after a failure. */
    async redeliver(customer: string, since: Date): Promise<void> {
      const created = { gte: Math.floor(since.getTime() / 1000) };
      const { data } = await stripe.events.list({ created, limit: 100 });
      const theirs = data.filter((event) => {
        const object = event.data.object as { id?: string; customer?: unknown };
        return object.customer === customer || object.id === customer;
      });
      for (const event of theirs.toReversed()) await deliver(event);
    },

    /** Runs the schedule at the given time. By default, with the account that has the customers. */
    async reconcile(now: Date = new Date(), account: Stripe = stripe): Promise<void> {
      const billing = billingOf(async () => account)(() => 60_000);
      const failed: string[] = [];
      const at = { ...table, runtime: { ...table.runtime, now: () => now } };
      const report = await runSchedule(
        { table: at, billing, now, outside },
        {
          livemode: false,
          left: () => 60_000,
          onStep: (step) => void (step.failed && failed.push(`${step.source} ${step.name}`)),
        },
      );
      if (report.failed_erasures > 0) failed.push(`${report.failed_erasures} erasures`);
      if (failed.length > 0) throw new Error(`Failed: ${failed.join(", ")}`);
    },
  };
}
