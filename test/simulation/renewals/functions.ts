import { reconcile } from "#lib/billing/reconcile.ts";
import { billingOf } from "#lib/billing/stripe.ts";
import { csvOf } from "#lib/http/csv.ts";
import type { Endpoint, Mount } from "#lib/http/handler.ts";
import { idempotent } from "#lib/http/idempotency.ts";
import { limit } from "#lib/http/limit.ts";
import { connect } from "#lib/store/table.ts";
import { Chance } from "../chance.ts";
import { createEngine } from "../table/engine.ts";
import type { Timeline } from "../timeline.ts";
import { Faults } from "../world/faults.ts";
import { Holds } from "../world/holds.ts";
import { Invocation } from "../world/invocation.ts";
import { type Call, eventFor } from "../world/requests.ts";
import { directClient, tableClient } from "../world/table-client.ts";
import { tableInput } from "../world/table-input.ts";
import { clientOf, type LimitedStripe } from "./stripe.ts";

const seconds = 1000;

/**
 * Runs the functions with an in-memory table, a virtual clock and a rate-limited Stripe. Requires a secret of the same
 * mode.
 */
export function functionsOn(timeline: Timeline, stripe: LimitedStripe, livemode: boolean) {
  const { TableName } = tableInput;
  const engine = createEngine({ now: () => timeline.now });
  engine.tables.create({ ...tableInput, StreamSpecification: { StreamEnabled: false } });
  const client = clientOf(stripe);
  const random = new Chance("renewals");
  const faults = new Faults(random, new Map());
  const holds = new Holds(timeline, 0);
  let invocations = 0;

  function invoke<T>(lifetime: number, work: (mount: Mount, invocation: Invocation) => Promise<T>): Promise<T> {
    const id = `invocation-${++invocations}`;
    const options = { id, timeline, faults, holds, seed: id, skew: 0, isSluggish: false, lifetime };
    return new Invocation(options).run((invocation) =>
      work(
        {
          ...invocation.runtime,
          table: connect(
            tableClient({ engine, late: engine, faults, holds }, invocation),
            TableName,
            invocation.runtime,
          ),
          identify: async (token) => JSON.parse(Buffer.from(token, "base64url").toString()) as never,
          billing: billingOf(async () => client),
          idempotent,
          limit,
          csv: csvOf,
        },
        invocation,
      ),
    );
  }

  return {
    /** Direct access to the table, without virtual time. */
    table: connect(directClient(engine), TableName, {
      now: () => new Date(timeline.now),
      random: () => random.next(),
      wait: async () => {},
      deadline: () => new AbortController().signal,
      epoch: 0,
    })(),

    /** Calls a route. @returns its status */
    async call({ route, on }: Endpoint, call: Call): Promise<number> {
      const { statusCode = 0 } = await invoke(25 * seconds, (mount, { id, context }) =>
        on(mount)(eventFor(route, call, id), context),
      );
      return statusCode;
    },

    /** Runs the schedule once. */
    reconcile: () =>
      invoke(300 * seconds, async (mount, { context }) => {
        const left = () => context.getRemainingTimeInMillis() - 5 * seconds;
        if (!mount.billing) throw new Error("There is no billing");
        const at = {
          table: mount.table(),
          // With more time left, Stripe's SDK would retry on its own, and would wait by the real clock.
          billing: mount.billing(() => Math.min(16 * seconds, left())),
          now: mount.now(),
        };
        return reconcile(at, { livemode, left: () => left() - 20 * seconds });
      }),
  };
}
