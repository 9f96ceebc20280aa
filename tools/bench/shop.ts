import { spawn } from "node:child_process";
import { type EventEmitter, once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { OpenBilling } from "#lib/billing/stripe.ts";
import type { Endpoint, Mount } from "#lib/http/handler.ts";
import { counted } from "../../test/support/counting.ts";
import type { Call } from "../../test/support/direct.ts";
import { openMoney } from "../../test/support/money.ts";
import { useLocalEnvironment } from "./table.ts";

/** The measurement of one request. */
export type Taken = {
  /** Wall time, with the engine in memory and the stand-in for Stripe on this machine. */
  readonly ms: number;
  /** CPU time of this process. */
  readonly cpuMs: number;
  /** Sequential round trips to the table. */
  readonly roundTrips: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly stripeCalls: number;
  /** Sequential round trips to Stripe. */
  readonly stripeRoundTrips: number;
};

export type Shop = Awaited<ReturnType<typeof openShop>>;

/** Starts a table and a stand-in for Stripe, and counts the calls of handlers in this process. */
export async function openShop() {
  useLocalEnvironment();
  const money = await openMoney(startStripeProcess);
  const table = counted(money.client);
  const stripe = { calls: 0, roundTrips: 0 };
  (money.stripe as unknown as EventEmitter).on("request", () => stripe.calls++);
  const platform = money.platform();
  const on: Mount = { ...platform, ...(platform.billing && { billing: waves(platform.billing, stripe) }) };

  const take = async (work: () => Promise<unknown>): Promise<Taken> => {
    table.take();
    Object.assign(stripe, { calls: 0, roundTrips: 0 });
    const [start, before] = [performance.now(), process.cpuUsage()];
    await work();
    const { user, system } = process.cpuUsage(before);
    const ms = performance.now() - start;
    const { roundTrips, units, writeUnits } = table.take();
    return {
      ms,
      cpuMs: (user + system) / 1000,
      roundTrips,
      readUnits: units - writeUnits,
      writeUnits,
      stripeCalls: stripe.calls,
      stripeRoundTrips: stripe.roundTrips,
    };
  };

  return {
    money,
    take,
    /** Calls a route, by default as an admin. Throws if the request fails. */
    measure: (endpoint: Endpoint, call: Call): Promise<Taken> =>
      take(async () => {
        const { status = 0, body } = await money.answer(endpoint, call, on);
        if (status >= 300) throw new Error(`${endpoint.route.path} answered ${status}: ${JSON.stringify(body)}`);
      }),
  };
}

/** Counts the round trips to Stripe. Concurrent requests are one round trip. */
const waves =
  (open: OpenBilling, count: { roundTrips: number }): OpenBilling =>
  (left) => {
    const billing = open(left);
    let underWay = 0;
    return async (...call) => {
      if (underWay++ === 0) count.roundTrips++;
      try {
        return await billing(...call);
      } finally {
        underWay--;
      }
    };
  };

async function startStripeProcess() {
  const file = fileURLToPath(import.meta.resolve("./stripe-process.ts"));
  const child = spawn(process.execPath, [file], { stdio: ["pipe", "pipe", "inherit"] });
  const [url] = (await once(createInterface(child.stdout), "line")) as [string];
  return {
    url,
    async close() {
      const ended = once(child, "exit");
      child.stdin.end();
      await ended;
    },
  };
}
