import { randomUUID } from "node:crypto";
import type { Endpoint } from "#lib/http/handler.ts";
import { keys } from "#lib/store/keys.ts";
import { handler as createBrand } from "../../functions/brands/create.ts";
import { handler as block } from "../../functions/members/block.ts";
import type { Call } from "../../test/support/direct.ts";
import { aCommunity, aMember } from "../../test/support/given.ts";
import type { Result } from "./result.ts";
import { interleaved, percentile, ratioOf } from "./statistics.ts";
import { startTable, type Taken } from "./table.ts";

type Post = {
  readonly name: string;
  readonly endpoint: Endpoint;
  /** Returns a new request. */
  readonly call: () => Promise<Call>;
};

/** `touched` is the number of calls that accessed an idempotency record. */
type Sample = Taken & { readonly touched: number };

/** Measures the cost of an `Idempotency-Key`. */
export async function run(): Promise<Result> {
  const bench = await startTable();
  try {
    const community = await aCommunity(bench.table);
    const posts: readonly Post[] = [
      {
        name: "create a brand, which only writes the table",
        endpoint: createBrand,
        call: async () => ({ params: { producer_id: randomUUID() }, body: { brand: { name: "Smoke" } } }),
      },
      {
        name: "block a member, which may act at Stripe",
        endpoint: block,
        async call() {
          const { id } = await aMember(bench.table, community);
          return { params: { community_id: community.id, id }, body: {} };
        },
      },
    ];
    let touched = 0;
    bench.client.middlewareStack.add((next) => async (args) => {
      if (JSON.stringify(args.input).includes(`"${keys.replay("").pk}`)) touched++;
      return next(args);
    });
    const cases = posts.flatMap((post) => [false, true].map((isKeyed) => ({ post, isKeyed })));
    const taken = await interleaved(cases, { rounds: 300, warmUp: 20 }, async ({ post, isKeyed }): Promise<Sample> => {
      const headers = isKeyed ? { headers: { "idempotency-key": randomUUID() } } : {};
      const call = await post.call();
      touched = 0;
      const sample = await bench.measure(post.endpoint, { ...call, ...headers });
      return { ...sample, touched };
    });
    return report(
      posts.map(({ name }) => ({
        name,
        of: (keyed) =>
          taken.find(({ testCase }) => testCase.post.name === name && testCase.isKeyed === keyed)?.samples ?? [],
      })),
    );
  } finally {
    await bench.stop();
  }
}

type Measured = { readonly name: string; readonly of: (isKeyed: boolean) => readonly Sample[] };

function report(measured: readonly Measured[]): Result {
  const most = (samples: readonly Sample[], figure: (sample: Sample) => number) => Math.max(...samples.map(figure));
  const compared = measured.map(({ name, of }) => {
    const [without, withKey] = [of(false), of(true)];
    const ms = (samples: readonly Sample[]) => samples.map((sample) => sample.ms);
    const roundTrips = ({ roundTrips: n }: Sample) => n;
    return {
      row: {
        request: name,
        "p50 ms without a key": percentile(ms(without), 0.5),
        "p50 ms with one": percentile(ms(withKey), 0.5),
        "p50, with : without": ratioOf(ms(withKey), ms(without)),
        "round trips without": most(without, roundTrips),
        "round trips with": most(withKey, roundTrips),
      },
      touched: most(without, ({ touched }) => touched),
    };
  });
  const more = compared.map(({ row }) => row["round trips with"] - row["round trips without"]);
  const touched = compared.map((comparison) => comparison.touched);
  return {
    method:
      "New requests by an admin, alternately with and without an Idempotency-Key: wall time of the handler with the engine in " +
      "memory.",
    rows: compared.map(({ row }) => row),
    claims: [
      {
        claim: "A key adds at most 2 round trips to the table",
        measured: more.join(", "),
        holds: more.every((n) => n <= 2),
      },
      {
        claim: "Without a key, no idempotency record is read or written",
        measured: `${Math.max(...touched)} calls`,
        holds: touched.every((n) => n === 0),
      },
    ],
  };
}
