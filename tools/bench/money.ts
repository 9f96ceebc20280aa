import { handler as cancel } from "../../functions/members/cancel-subscription.ts";
import { handler as uncancel } from "../../functions/members/uncancel-subscription.ts";
import { handler as webhook } from "../../functions/webhooks/stripe.ts";
import { refundWithEvent } from "./requests.ts";
import type { Result } from "./result.ts";
import { openShop, type Shop, type Taken } from "./shop.ts";
import { median, percentile } from "./statistics.ts";

const [rounds, warmUp] = [60, 10];
/** Number of rounds per member, after which too little remains to refund. */
const roundsOfMember = 10;

type Round = Readonly<Record<"refund" | "its event" | "the same event again" | "cancellation", Taken>>;

/** Measures requests that move money. */
export async function run(): Promise<Result> {
  const shop = await openShop();
  try {
    const { money } = shop;
    const community = await money.aPricedCommunity();
    const taken: Round[] = [];
    for (let round = -warmUp; round < rounds; ) {
      const { id } = await money.aSubscriber(community);
      for (let n = 0; n < roundsOfMember; n++, round++) {
        const sample = await moneyRound(shop, { community_id: community.id, id });
        if (round >= 0) taken.push(sample);
      }
    }
    return report(taken);
  } finally {
    await shop.money.close();
  }
}

async function moneyRound(shop: Shop, params: { community_id: number; id: number }): Promise<Round> {
  const { taken, event } = await refundWithEvent(shop, params);
  const eventTaken = await shop.measure(webhook, event);
  const again = await shop.measure(webhook, event);
  const cancellation = await shop.measure(cancel, { params, body: {} });
  await shop.measure(uncancel, { params, body: {} });
  return { refund: taken, "its event": eventTaken, "the same event again": again, cancellation };
}

function report(taken: readonly Round[]): Result {
  const names = ["refund", "its event", "the same event again", "cancellation"] as const;
  const measured = names.map((name) => {
    const samples = taken.map((round) => round[name]);
    const of = (figure: keyof Taken) => samples.map((sample) => sample[figure]);
    return {
      request: name,
      "p50 ms": percentile(of("ms"), 0.5),
      "p99 ms": percentile(of("ms"), 0.99),
      "CPU ms": median(of("cpuMs")),
      "round trips": Math.max(...of("roundTrips")),
      "Stripe calls": Math.max(...of("stripeCalls")),
      "round trips to Stripe": Math.max(...of("stripeRoundTrips")),
    };
  });
  const refund = measured[0];
  return {
    method:
      `${rounds} refunds by an admin, the event that Stripe sends for each, delivered twice, and a cancellation, which is then withdrawn: ` +
      "wall time and CPU time of the handler, warm, with the engine in memory and the stand-in for Stripe in another process.",
    rows: measured,
    claims: [
      {
        claim: "A refund calls Stripe at most 4 times, in at most 2 round trips",
        measured: `${refund?.["Stripe calls"]} in ${refund?.["round trips to Stripe"]}`,
        holds: refund !== undefined && refund["Stripe calls"] <= 4 && refund["round trips to Stripe"] <= 2,
      },
    ],
  };
}
