import { handler as showCommunity } from "../../functions/communities/show.ts";
import { handler as showMembership } from "../../functions/membership/show.ts";
import { handler as listTiers } from "../../functions/tiers/list.ts";
import { aBenefit, aMember, aTier } from "../../test/support/given.ts";
import { billedMs } from "./prices.ts";
import type { Result } from "./result.ts";
import { openShop, type Taken } from "./shop.ts";
import { interleaved, medians } from "./statistics.ts";

/** People who open an app within a minute after a push message. */
const people = 100_000;
const perSecond = people / 60;
/** What a key of a table allows, and what an account allows by default until its quota is raised. */
const limits = { readUnitsOfKey: 3000, executions: 1000 } as const;
/** Number of requests of the load test, of which so many run at the same time. */
const [requests, atOnce] = [2000, 50];

/** Measures what happens when the members of one community open an app at the same moment. */
export async function run(): Promise<Result> {
  const shop = await openShop();
  try {
    const { money, measure } = shop;
    const community = await money.aPricedCommunity();
    for (let n = 2; n <= 10; n++) await aTier(money.table, community.id, { position: n });
    const described = { description: "d".repeat(500), tier_ids: [community.tier.id] };
    for (let n = 0; n < 60; n++) await aBenefit(money.table, community, { ...described, position: n });
    const members = await Promise.all(Array.from({ length: 100 }, () => aMember(money.table, community)));
    const ofMember = (n: number) => ({
      params: { community_id: community.id },
      as: { id: members[n % members.length]?.user.id ?? 0 },
    });
    const anonymous = { as: undefined };
    const cases = [
      { name: "membership", send: () => measure(showMembership, ofMember(0)), ofOthers: 1, isCached: false },
      {
        name: "tiers, without a token",
        send: () => measure(listTiers, { params: { community_id: community.id }, ...anonymous }),
        ofOthers: 0,
        isCached: true,
      },
      {
        name: "community, without a token",
        send: () => measure(showCommunity, { params: { id: community.id }, ...anonymous }),
        ofOthers: 0,
        isCached: true,
      },
    ];
    const taken = await interleaved(cases, { rounds: 30, warmUp: 5 }, ({ send }) => send());
    const measured = taken.map(({ testCase, samples }) => ({ ...testCase, taken: medians(samples) }));

    let next = 0;
    let failed = 0;
    const start = performance.now();
    const client = async () => {
      while (next < requests) {
        const { status = 500 } = await money.call(showMembership, ofMember(next++));
        if (status !== 200) failed++;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, client));
    return report(measured, { failed, seconds: (performance.now() - start) / 1000 });
  } finally {
    await shop.money.close();
  }
}

type Measured = {
  readonly name: string;
  /** Read units of a request on other keys than the community's. */
  readonly ofOthers: number;
  /** Whether CloudFront repeats the response. */
  readonly isCached: boolean;
  readonly taken: Taken;
};
type Load = { readonly failed: number; readonly seconds: number };

function report(measured: readonly Measured[], { failed, seconds }: Load): Result {
  const sum = (those: readonly Measured[], of: (one: Measured) => number) =>
    Math.round(those.reduce((all, one) => all + perSecond * of(one), 0));
  const onKey = ({ taken, ofOthers }: Measured) => taken.readUnits - ofOthers;
  const executions = ({ taken }: Measured) => billedMs(taken) / 1000;
  const rowOf = (request: string, those: readonly Measured[]) => ({
    request,
    "requests per second": Math.round(those.length * perSecond),
    "RRU per second on the community's key": sum(those, onKey),
    "concurrent executions": sum(those, executions),
  });
  const uncached = measured.filter(({ isCached }) => !isCached);
  const [key, running] = [sum(uncached, onKey), sum(uncached, executions)];
  const membership = measured.find(({ name }) => name === "membership")?.taken.readUnits ?? Infinity;
  return {
    method:
      `${people} members of a community with 10 tiers and 60 benefits open an app within a minute. Each asks for the ` +
      "membership, the tiers and the community: medians of 30 warm requests, times their number. CloudFront repeats what is read " +
      "without a token for five seconds, so that the functions get only the memberships. The limit of a key is " +
      `${limits.readUnitsOfKey} RRU per second, the default quota of an account ${limits.executions} concurrent executions, and a ` +
      `route in prod allows fewer requests per second unless \`throttle\` is raised. Tried: ${requests} memberships, ` +
      `${atOnce} at the same time in one process, in ${seconds.toFixed(1)} s.`,
    rows: [
      ...measured.map((one) => rowOf(one.name, [one])),
      rowOf("all, without the cache", measured),
      rowOf("all, with the cache", uncached),
    ],
    claims: [
      { claim: "A membership costs at most 2 RRU", measured: String(membership), holds: membership <= 2 },
      {
        claim: `The community's key bears a push message: at most ${limits.readUnitsOfKey} RRU per second`,
        measured: String(key),
        holds: key <= limits.readUnitsOfKey,
      },
      {
        claim: `The functions need at most ${limits.executions} concurrent executions`,
        measured: String(running),
        holds: running <= limits.executions,
      },
      { claim: "No request of the load test fails", measured: `${failed} of ${requests}`, holds: failed === 0 },
    ],
  };
}
