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

/** What one request took. */
export type Taken = {
  /** Of the clock, with the engine in memory and Stripe's stand-in on this machine. */
  readonly ms: number;
  /** Of the CPU, in this process alone. */
  readonly cpuMs: number;
  /** Sequential ones, to the table. */
  readonly roundTrips: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly stripeCalls: number;
  /** Sequential ones, to Stripe. */
  readonly stripeRoundTrips: number;
};

export type Shop = Awaited<ReturnType<typeof openShop>>;

/** A table and a Stripe beside this process, and handlers in it whose every call is counted. */
export async function openShop() {
  useLocalEnvironment();
  const money = await openMoney(startStripeProcess);
  const table = counted(money.client);
  const stripe = { calls: 0, roundTrips: 0 };
  (money.stripe as unknown as EventEmitter).on("request", () => stripe.calls++);
  const platform = money.platform();
  const on: Mount = { ...platform, ...(platform.billing && { billing: waves(platform.billing, stripe) }) };

  return {
    money,
    /** Calls a route as an admin unless told otherwise. Throws where it does not do its work. */
    measure: async (endpoint: Endpoint, call: Call): Promise<Taken> => {
      table.take();
      Object.assign(stripe, { calls: 0, roundTrips: 0 });
      const [start, before] = [performance.now(), process.cpuUsage()];
      const { status = 0, body } = await money.answer(endpoint, call, on);
      const { user, system } = process.cpuUsage(before);
      const ms = performance.now() - start;
      if (status >= 300) throw new Error(`${endpoint.route.path} answered ${status}: ${JSON.stringify(body)}`);
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
    },
  };
}

/** Counts the waves in which Stripe is asked: what is under way together is one. */
const waves =
  (open: OpenBilling, count: { roundTrips: number }): OpenBilling =>
  (left) => {
    const billing = open(left);
    let underWay = 0;
    return async (...asked) => {
      if (underWay++ === 0) count.roundTrips++;
      try {
        return await billing(...asked);
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
