import { routes } from "#lib/contract/index.ts";
import { keptWarm } from "#lib/contract/keep-warm.ts";
import { type Billed, countInProd, monitoringDollars } from "./billed.ts";
import { measureRoutes } from "./cost.ts";
import { measurePages } from "./pages.ts";
import { plotOf } from "./plot.ts";
import { assumptions, prices, requestDollars } from "./prices.ts";
import { busyCommunities } from "./requests.ts";
import type { Result } from "./result.ts";
import { openShop, type Taken } from "./shop.ts";

/** Number of paying members in all communities. */
const sizes = [1000, 10_000, 100_000, 1_000_000] as const;

/** Requests per member and month, by the member and by staff. */
const requestsOfMember: Readonly<Record<string, number>> = {
  "GET /odis/v1/communities/{community_id}/membership": 16,
  "GET /api/v1/communities/explore": 4,
  "GET /odis/v1/communities/{community_id}/benefits": 4,
  // One renewal, for which Stripe sends four events.
  "POST /webhooks/stripe": 4,
  // One member in twenty leaves and is replaced.
  "POST /odis/v1/communities/{community_id}/checkout_sessions": 0.05,
  "POST /odis/v1/communities/{community_id}/billing_portal_sessions": 0.05,
  "GET /odis/v1/communities/{community_id}/members": 0.2,
  "GET /odis/v1/communities/{community_id}/members/{id}": 0.2,
  "GET /odis/v1/communities/{community_id}/members/{id}/payment_history": 0.05,
  "PATCH /odis/v1/communities/{community_id}/members/{id}": 0.05,
  "POST /odis/v1/communities/{community_id}/members/{id}/issue_refund": 0.02,
};

/** Further assumptions, which only a deployed stack can verify. */
const assumed = {
  /** Share of the members who sign in during the month. */
  activeShare: 0.8,
  /** Tokens per member who signs in. Each calls a trigger. */
  tokens: 16,
  /** Changed items per member in the table's stream, and write units of the consumers per change. */
  changes: 3,
  writeUnitsOfChange: 4,
  /** Stored data of a member with a year of payments, indexes included. */
  memberKb: 30,
  /** Log lines of gateway and function per request. */
  logKb: 1.2,
  /** Size of a response of the API. */
  responseKb: 4,
  /** Visits of pages per member: a member opens the directory, and staff open the console. */
  visits: { explore: 4, console: 0.2 },
  emails: 0.1,
  /** Time after which Lambda stops a function that nobody calls, in minutes. */
  idleMinutes: 7,
  /** Time between two calls that keep a function warm, in minutes. */
  warmUpMinutes: 5,
} as const;

/** Dollars per member and month without sign-in, at most. */
const limits: ReadonlyMap<number, number> = new Map([
  [1000, 0.0306],
  [10_000, 0.003_17],
  [100_000, 0.000_43],
]);

const gb = 1 / 1024 ** 2;

/** Computes the monthly cost of a stack by number of members. */
export async function run(): Promise<Result> {
  const shop = await openShop();
  try {
    const measured = new Map(
      (await measureRoutes(shop, await busyCommunities(shop))).map(({ key, taken }) => [key, taken]),
    );
    const billed = await countInProd();
    const pages = await loadOfPages();
    const bills = sizes.map((members) => [members, billOf(members, { measured, billed, pages })] as const);
    return report(bills, billed);
  } finally {
    await shop.money.close();
  }
}

type Bill = Readonly<Record<string, number>>;

const signIn = "Sign-in (Cognito)";

/** What the visits of a member load from the site. */
async function loadOfPages() {
  const visits = Object.entries(assumed.visits);
  const loads = await measurePages(["explore", "console"]);
  const sum = (of: "requests" | "kb") =>
    visits.reduce((total, [page, times]) => total + times * loads[page as keyof typeof loads][of], 0);
  return { requests: sum("requests"), kb: sum("kb") };
}

type Measurements = {
  readonly measured: ReadonlyMap<string, Taken>;
  readonly billed: Billed;
  readonly pages: Awaited<ReturnType<typeof loadOfPages>>;
};

function billOf(members: number, { measured, billed, pages }: Measurements): Bill {
  const monthlyRequests = Object.entries(requestsOfMember).map(([key, times]) => {
    const taken = measured.get(key);
    if (!taken) throw new Error(`${key} is no route that uses the table`);
    return { times: times * members, taken };
  });
  const sum = (of: (taken: Taken) => number) =>
    monthlyRequests.reduce((total, { times, taken }) => total + times * of(taken), 0);
  const requests = sum(() => 1);
  const tokens = members * assumed.activeShare * assumed.tokens;
  const changes = members * assumed.changes;
  const storedGb = members * assumed.memberKb * gb;
  const active = members * assumed.activeShare;
  return {
    "API Gateway": requests * prices.apiRequest,
    Lambda: sum(requestDollars.lambda) + (tokens + changes / 10) * requestDollars.lambda(triggerTaken),
    DynamoDB:
      sum(requestDollars.table) +
      changes * assumed.writeUnitsOfChange * prices.writeUnit +
      storedGb * (prices.tableGbMonth + prices.backupGbMonth),
    Logs: requests * assumed.logKb * gb * prices.logGb,
    Monitoring: monitoringDollars(billed, billed.metrics),
    CloudFront:
      (requests + members * pages.requests) * prices.edgeRequest +
      (requests * assumed.responseKb + members * pages.kb) * gb * prices.edgeGb,
    "Warm functions": ((keptWarm.length * monthMinutes) / assumed.warmUpMinutes) * requestDollars.lambda(warmUpTaken),
    "Email and secrets": members * assumed.emails * prices.email + billed.secrets * prices.secret,
    [signIn]: Math.max(0, active - prices.freeUsers) * prices.user,
  };
}

/** Approximate cost of a trigger or a stream consumer. */
const triggerTaken: Taken = {
  ms: 0,
  cpuMs: 4,
  roundTrips: 2,
  readUnits: 2,
  writeUnits: 0,
  stripeCalls: 0,
  stripeRoundTrips: 0,
};

const monthMinutes = 30 * 24 * 60;
const warmUpTaken: Taken = { ...triggerTaken, cpuMs: 1, roundTrips: 0, readUnits: 0 };

/** The routes of people, and not of Stripe. */
const ofPeople = Object.entries(requestsOfMember).filter(([key]) => !key.includes("/webhooks/"));

/**
 * The share of people's requests that meet a function which Lambda has stopped, if requests come independently of each
 * other.
 */
function coldShare(members: number, isWarm: boolean): number {
  const kept = new Set(isWarm ? routes.filter(({ id }) => keptWarm.includes(id)).map(({ key }) => key) : []);
  const cold = ofPeople.map(([key, times]) => {
    const perMinute = (times * members) / monthMinutes;
    return kept.has(key) ? 0 : times * Math.exp(-perMinute * assumed.idleMinutes);
  });
  const sum = (all: readonly number[]) => all.reduce((total, one) => total + one, 0);
  return sum(cold) / sum(ofPeople.map(([, times]) => times));
}

const totalOf = (bill: Bill): number => Object.values(bill).reduce((sum, dollars) => sum + dollars, 0);
const withoutSignIn = (bill: Bill): number => totalOf(bill) - (bill[signIn] ?? 0);

function report(bills: readonly (readonly [members: number, Bill])[], billed: Billed): Result {
  const names = Object.keys(bills[0]?.[1] ?? {});
  const row = (name: string, of: (bill: Bill, members: number) => number) => ({
    "$ per month": name,
    ...Object.fromEntries(
      bills.map(([members, bill]) => [`${members.toLocaleString("en")} members`, of(bill, members)]),
    ),
  });
  const perMember = bills.map(([members, bill]) => totalOf(bill) / members);
  const lite = (members: number) =>
    Math.max(0, members * assumed.activeShare - prices.freeUsers) * (prices.user - prices.liteUser);
  const { activeShare, tokens, memberKb, logKb, responseKb, visits } = assumed;
  const atRest = monitoringDollars(billed, billed.restingMetrics);
  return {
    method:
      `Computed from the cost of each route (section cost) and the assumptions in tools/bench/month.ts: ${Object.values(
        requestsOfMember,
      )
        .reduce((sum, times) => sum + times, 0)
        .toFixed(0)} requests per member, ` +
      `${100 * activeShare} % of the members sign in, ${tokens} tokens each, ${memberKb} KB stored, ${logKb} KB of logs and a response of ${responseKb} KB per request, ${visits.explore} visits of /explore and ${visits.console} of /console per member, as built and without a browser cache, ${assumptions}. Lambda stops a function that nobody calls after ${assumed.idleMinutes} minutes. ` +
      `The template of prod has ${billed.alarmMetrics} metrics of alarms, ${billed.dashboards} dashboard, ${billed.secrets} secrets and ${billed.metrics} custom metrics, each counted as sent in every hour. Without any request, ${billed.restingMetrics} of the metrics are sent. ` +
      "The prices of us-east-1 are in tools/bench/prices.ts. Not included: Stripe's fees, a web ACL ($5, $1 per rule and $0.60 per million requests) and support.",
    rows: [
      ...names.filter((name) => name !== signIn).map((name) => row(name, (bill) => bill[name] ?? 0)),
      row("total without sign-in", withoutSignIn),
      row("total without sign-in, per 1,000 members", (bill, members) => (1000 * withoutSignIn(bill)) / members),
      row(signIn, (bill) => bill[signIn] ?? 0),
      row("total", totalOf),
      row("total, per 1,000 members", (bill, members) => (1000 * totalOf(bill)) / members),
      row("savings with Cognito's Lite plan", (_, members) => lite(members)),
      row(
        "% of people's requests to a cold function, without keepWarm",
        (_, members) => 100 * coldShare(members, false),
      ),
      row("% of people's requests to a cold function, with keepWarm", (_, members) => 100 * coldShare(members, true)),
    ],
    claims: [
      {
        claim: "Monitoring costs at most $12 a month at rest",
        measured: `$${atRest.toFixed(2)}`,
        holds: atRest <= 12,
      },
      ...bills.flatMap(([members, bill]) => {
        const limit = limits.get(members);
        if (limit === undefined) return [];
        const dollars = withoutSignIn(bill) / members;
        const claim = `Without sign-in, a member costs at most $${limit} per month at ${members.toLocaleString("en")} members`;
        return [{ claim, measured: `$${dollars.toFixed(5)}`, holds: dollars <= limit }];
      }),
      {
        claim: "A member costs at most $0.03 per month at every size from 10,000 members up",
        measured: perMember.map((dollars) => dollars.toFixed(4)).join(", "),
        holds: perMember.slice(1).every((dollars) => dollars <= 0.03),
      },
      {
        claim: "With keepWarm, at most 5 % of people's requests meet a cold function at 1,000 members",
        measured: `${(100 * coldShare(1000, true)).toFixed(1)} %`,
        holds: coldShare(1000, true) <= 0.05,
      },
    ],
    plot: plotOf(
      names.map((name) => ({ name, points: bills.map(([members, bill]) => [members, Math.max(1, bill[name] ?? 0)]) })),
      { x: "members", y: "$ per month" },
    ),
  };
}
