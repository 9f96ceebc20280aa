import { createHmac } from "node:crypto";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import type { Account } from "./account.ts";
import { isTriggered } from "./faults.ts";
import type { Delivery } from "./state.ts";

export type Deliveries = {
  /** Resolves when nothing is on its way any more. */
  readonly settled: () => Promise<void>;
  /** Sends all that has not arrived, without waiting; what was dropped only where that is asked for. */
  readonly deliverNow: (options: { dropped: boolean }) => Promise<void>;
  readonly stop: () => Promise<void>;
};

const retries = 3;
const firstRetryAfter = 200;
const answerWithin = 30_000;

/**
 * Sends events to their endpoints after the call that caused them was answered: signed, one after the other in the
 * order in which they happened, and again where the endpoint does not answer with a success.
 *
 * @see https://docs.stripe.com/webhooks#verify-manually
 */
export function startDeliveries(account: Account, wallClock: () => number): Deliveries {
  const underWay = new Set<Promise<void>>();
  const sending = new Set<string>();
  const stopping = new AbortController();
  let queue = Promise.resolve();
  let hurry = Promise.withResolvers<void>();
  let isHurried = false;

  // What is new is sent; so is what an endpoint has waited for since an earlier start, once it is put there again.
  account.onCommit((changes) => {
    const ids = new Set(changes.map(({ id }) => id));
    if (!changes.some(({ kind }) => kind === "delivery" || kind === "webhook_endpoint")) return;
    const waiting = [...account.rows("delivery")].filter(({ outcome }) => outcome === "waiting");
    send(waiting.filter(({ id, endpoint }) => !sending.has(id) && (ids.has(id) || ids.has(endpoint))));
  });

  function send(waiting: readonly Delivery[]): void {
    if (waiting.length === 0 || stopping.signal.aborted) return;
    const arriving = waiting.filter((delivery) => !isDropped(delivery));
    for (const { id } of arriving) sending.add(id);
    const copies = account.faults.duplicate ? arriving.flatMap((delivery) => [delivery, delivery]) : arriving;
    const ready = pause(account.faults.delay_ms);
    if (account.faults.shuffle) {
      for (const delivery of copies) track(ready.then(() => scattered(delivery)));
      return;
    }
    queue = inOrder(queue, ready, copies);
    track(queue);
  }

  async function inOrder(earlier: Promise<void>, ready: Promise<void>, deliveries: readonly Delivery[]): Promise<void> {
    await Promise.all([earlier, ready, turn()]);
    for (const delivery of deliveries) if (!(await attempt(delivery))) track(retry(delivery));
  }

  async function scattered(delivery: Delivery): Promise<void> {
    await turn();
    await pause(1 + Math.random() * 50);
    if (!(await attempt(delivery))) await retry(delivery);
  }

  async function retry(delivery: Delivery): Promise<void> {
    for (let n = 0; n < retries; n++) {
      await pause(firstRetryAfter * 2 ** n);
      if (await attempt(delivery)) return;
    }
    mark(delivery, "given_up");
  }

  /** Whether there is nothing more to do. */
  async function attempt(delivery: Delivery): Promise<boolean> {
    const event = account.get("event", delivery.event);
    const endpoint = account.get("webhook_endpoint", delivery.endpoint);
    if (!event || !endpoint || stopping.signal.aborted) return true;
    const payload = JSON.stringify(event);
    try {
      const response = await fetch(endpoint.url, {
        method: "POST",
        headers: {
          "content-type": "application/json; charset=utf-8",
          "stripe-signature": signature(payload, endpoint.secret ?? "", Math.floor(wallClock() / 1000)),
          "user-agent": "Stripe/1.0 (local stand-in)",
        },
        body: payload,
        redirect: "manual",
        signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(answerWithin)]),
      });
      await response.body?.cancel();
      if (response.ok) arrived(delivery);
      return response.ok;
    } catch {
      return stopping.signal.aborted;
    }
  }

  /** Once: a copy that arrives later changes nothing. */
  function arrived({ id, event: eventId }: Delivery): void {
    sending.delete(id);
    const event = account.get("event", eventId);
    if (!event || !account.get("delivery", id)) return;
    account.transact(() => {
      account.remove("delivery", id);
      account.put("event", { ...event, pending_webhooks: event.pending_webhooks - 1 });
    });
  }

  function isDropped(delivery: Delivery): boolean {
    if (!isTriggered(account.faults, "drop")) return false;
    mark(delivery, "dropped");
    return true;
  }

  function mark({ id }: Delivery, outcome: Delivery["outcome"]): void {
    sending.delete(id);
    const delivery = account.get("delivery", id);
    if (delivery) account.transact(() => account.put("delivery", { ...delivery, outcome }));
  }

  function track(job: Promise<void>): void {
    underWay.add(job);
    void job.finally(() => underWay.delete(job));
  }

  async function pause(milliseconds: number): Promise<void> {
    if (milliseconds === 0 || isHurried) return;
    await Promise.race([sleep(milliseconds, undefined, { ref: false }), hurry.promise]);
  }

  async function settled(): Promise<void> {
    while (underWay.size > 0) await Promise.all(underWay);
  }

  return {
    settled,

    async deliverNow({ dropped }) {
      isHurried = true;
      hurry.resolve();
      const left = [...account.rows("delivery")].filter(({ outcome }) => {
        return outcome === "given_up" || (dropped && outcome === "dropped");
      });
      if (left.length > 0)
        account.transact(() => {
          for (const delivery of left) account.put("delivery", { ...delivery, outcome: "waiting" });
        });
      await settled();
      hurry = Promise.withResolvers<void>();
      isHurried = false;
    },

    async stop() {
      stopping.abort();
      hurry.resolve();
      await settled();
    },
  };
}

/** The `Stripe-Signature` header of a payload that is sent at a moment in seconds. */
function signature(payload: string, secret: string, at: number): string {
  return `t=${at},v1=${createHmac("sha256", secret).update(`${at}.${payload}`).digest("hex")}`;
}
