import type { Context } from "aws-lambda";
import type Stripe from "stripe";
import { expect, it, vi } from "vitest";
import { maxWaitMs } from "#lib/billing/event-sync.ts";
import { billingOf } from "#lib/billing/stripe.ts";
import { routes } from "#lib/contract/index.ts";
import { ping } from "#lib/delivery/ping.ts";
import { longestTimeoutMs } from "#lib/delivery/post.ts";
import { leaseMs } from "#lib/delivery/resend-work.ts";
import { lookAgainMs } from "#lib/person/erasure.ts";
import { runScheduleAlone } from "#lib/person/schedule.ts";
import { openPool } from "#lib/pool.ts";
import { machine } from "#lib/runtime.ts";
import { readSecret } from "#lib/secrets.ts";
import { stalledAfterMs } from "#lib/store/resends.ts";
import { documents } from "#lib/store/table.ts";
import { clockMargin } from "#lib/values/clock-margin.ts";
import { handler as portal } from "../../functions/checkout/create-portal-session.ts";
import { handler as showMe } from "../../functions/me/show.ts";
import { handler as compactDirectory } from "../../functions/triggers/compact-directory.ts";
import { handler as deliver } from "../../functions/triggers/deliver.ts";
import { handler as tellEvents } from "../../functions/triggers/events.ts";
import { handler as preTokenGeneration } from "../../functions/triggers/pre-token-generation.ts";
import { handler as project } from "../../functions/triggers/projections.ts";
import { invoke } from "../support/direct.ts";
import { mountOn } from "../support/mount.ts";
import { functions, queueIds, resources } from "./prod.ts";

const observed = vi.hoisted(() => {
  for (const name of ["TABLE_NAME", "DELIVERY_QUEUE_URL", "SLOW_DELIVERY_QUEUE_URL", "EVENT_BUS_NAME"])
    process.env[name] ??= "none";
  return { leases: new Map<string, number>(), clients: new Map<string, unknown>() };
});

vi.mock(import("#lib/store/lease.ts"), () => ({
  withLease: async (_: unknown, { name, longestMs }: { name: string; longestMs: number }) => {
    observed.leases.set(name.replace(/\d+/g, "*"), longestMs);
    return undefined;
  },
}));
vi.mock(import("#lib/aws.ts"), async (importOriginal) => {
  const original = await importOriginal();
  const observing = Object.entries(original).map(([name, open]) => [
    name,
    (options: never) => {
      observed.clients.set(name, options);
      return open(options);
    },
  ]);
  return Object.fromEntries(observing) as typeof original;
});

const seconds = 1000;
const minutes = 60 * seconds;
/** Maximum times of services, in milliseconds. */
const aws = {
  /** Integration timeout of an HTTP API. */
  gateway: 30 * seconds,
  /** Response timeout of an origin of CloudFront, unless the distribution sets another. */
  cloudFront: 30 * seconds,
  /** Response of a trigger of a user pool. */
  cognitoTrigger: 5 * seconds,
  /** How long a stream of DynamoDB keeps a record. */
  stream: 24 * 60 * minutes,
  /** Pauses between the three attempts of an SDK call: at most 100 ms, then at most 200 ms. */
  pauses: [0, 0, 100, 300],
};
/** Pause of Stripe's SDK before its first retry. */
const stripePause = 500;

const context = { getRemainingTimeInMillis: () => minutes } as Context;
const deadline = vi.spyOn(machine, "deadline").mockImplementation(() => new AbortController().signal);
/** How long before the end of a function its deadline is: `work` gets a context whose remaining time is a minute. */
async function marginOf(work: () => Promise<unknown>): Promise<number> {
  deadline.mockClear();
  await work().catch(() => undefined);
  return minutes - Math.max(...deadline.mock.calls.map(([milliseconds]) => milliseconds));
}
let left = Number.NaN;
const mount = mountOn({
  table: () => ({}) as never,
  identify: async () => ({ id: 1 }) as never,
  billing: (remainingMs) => {
    left = remainingMs();
    return () => Promise.reject(new Error("Not called"));
  },
});
const routeMargin = await marginOf(() => invoke(showMe, mount, {}));
await invoke(portal, mount, { params: { community_id: 1 } });
const stripeMargin = minutes - left;
const triggerMargins = {
  TriggersDeliver: await marginOf(() => deliver({ Records: [] }, context)),
  TriggersEvents: await marginOf(() => tellEvents({ Records: [] }, context)),
  TriggersProjections: await marginOf(() => project({ Records: [] }, context)),
};
const signInDeadline = minutes - (await marginOf(() => preTokenGeneration({ request: {} } as never)));
vi.restoreAllMocks();

/** The longest time of a call to Stripe, with the retries and pauses of the SDK, if this much time is left. */
async function stripeCall(remaining: number): Promise<{ retries: number; longest: number }> {
  let options: Stripe.RequestOptions = {};
  const call = billingOf(async () => ({}) as Stripe)(() => remaining);
  await call(async (_, given) => void (options = given));
  const { timeout = Number.NaN, maxNetworkRetries: retries = Number.NaN } = options;
  return { retries, longest: timeout * (retries + 1) + retries * stripePause };
}

await runScheduleAlone({ table: {} } as never, { livemode: false, left: () => 0 });
await compactDirectory();
const pinged = await ping({} as never, { community_id: 1 } as never, new Date()).catch((error: unknown) => error);
const pingTimeout = Number((pinged as { headers: Record<string, string> }).headers["retry-after"]) * seconds;
const lease = (name: string) => (observed.leases.get(name) ?? Number.NaN) + clockMargin;

documents();
openPool();
await readSecret("unknown", AbortSignal.abort()).catch(() => undefined);
type ClientOptions = {
  readonly maxAttempts: number;
  readonly requestHandler: { readonly connectionTimeout: number; readonly requestTimeout: number };
};
/** The longest time of a call to a service of AWS with all attempts. */
function awsCall(client: string): number {
  const { maxAttempts, requestHandler } = observed.clients.get(client) as ClientOptions;
  const attempt = requestHandler.connectionTimeout + requestHandler.requestTimeout;
  return maxAttempts * attempt + (aws.pauses[maxAttempts] ?? Number.NaN);
}

const timeout = (id: string) => (functions[id]?.Properties.Timeout ?? Number.NaN) * seconds;
const longestFunction = Math.max(...Object.keys(functions).map(timeout));
const ofStripe = routes.filter(({ billing }) => billing);
const queues = Object.entries(
  resources<{ VisibilityTimeout: number; RedrivePolicy?: { maxReceiveCount: number } }>("AWS::SQS::Queue"),
).filter(([id]) => queueIds.includes(id));
const untilGivenUp = queues.map(
  ([, { Properties }]) =>
    Properties.VisibilityTimeout * seconds * (Properties.RedrivePolicy?.maxReceiveCount ?? Number.NaN),
);
/** The functions that do their work by a schedule. What only keeps functions warm has one rule for several. */
const schedules = Object.values(
  resources<{ ScheduleExpression?: string; Targets: { Arn: { "Fn::GetAtt": [string] } }[] }>("AWS::Events::Rule"),
).flatMap(({ Properties: { ScheduleExpression = "", Targets } }) => {
  const [, every] = /^rate\((\d+) minutes\)$/.exec(ScheduleExpression) ?? [];
  return every === undefined || Targets.length > 1
    ? []
    : [{ id: Targets[0]?.Arn["Fn::GetAtt"][0] ?? "", every: Number(every) * minutes }];
});
const mappings = Object.values(
  resources<{ MaximumRecordAgeInSeconds?: number }>("AWS::Lambda::EventSourceMapping"),
).flatMap(({ Properties }) => Properties.MaximumRecordAgeInSeconds ?? []);
const eventAges = Object.values(
  resources<{ FunctionName: { Ref: string }; MaximumEventAgeInSeconds: number }>("AWS::Lambda::EventInvokeConfig"),
).map(({ Properties: { FunctionName, MaximumEventAgeInSeconds } }) => ({
  id: FunctionName.Ref,
  age: MaximumEventAgeInSeconds * seconds,
  interval: schedules.find(({ id }) => id === FunctionName.Ref)?.every ?? Number.NaN,
}));
const distribution = Object.values(
  resources<{
    DistributionConfig: { Origins: { CustomOriginConfig?: { OriginReadTimeout?: number } }[] };
  }>("AWS::CloudFront::Distribution"),
)[0]?.Properties.DistributionConfig.Origins.flatMap(({ CustomOriginConfig }) => CustomOriginConfig ?? []);
const originTimeout = (distribution?.[0]?.OriginReadTimeout ?? aws.cloudFront / seconds) * seconds;
const longestRoute = Math.max(...routes.map(({ id }) => timeout(id)));
const shortestRequest = Math.min(...routes.map(({ id }) => timeout(id))) - routeMargin;

/** Times that must fit into others, in milliseconds. */
const budgets: readonly (readonly [what: string, needed: number, available: number])[] = [
  ["the function of each route ends before the gateway gives up", longestRoute + seconds, aws.gateway],
  ["the function of each route ends before CloudFront gives up", longestRoute + seconds, originTimeout],
  ["a request ends two seconds before its function", 2 * seconds, routeMargin],
  ["calls to Stripe end two seconds before their function", 2 * seconds, stripeMargin],
  ...Object.entries(triggerMargins).map(
    ([id, margin]) => [`the work of ${id} ends a second before its function`, seconds, margin] as const,
  ),
  ["a sign-in ends before Cognito gives up", signInDeadline + seconds / 2, aws.cognitoTrigger],
  ["a call to the user pool ends before Cognito gives up", awsCall("cognitoClient"), aws.cognitoTrigger],
  ["a call to DynamoDB ends within the shortest request", awsCall("documentClient"), shortestRequest],
  ["a call to Secrets Manager ends within the shortest request", awsCall("secretsManagerClient"), shortestRequest],
  ...(await Promise.all(
    ofStripe.map(async ({ id, key }) => {
      const remaining = timeout(id) - stripeMargin;
      const { longest } = await stripeCall(remaining);
      return [`a call to Stripe with its retries ends within ${key}`, longest, remaining] as const;
    }),
  )),
  [
    "an event of Stripe that waits for another synchronization and for its place ends within the webhook",
    maxWaitMs + 5 * seconds + (await stripeCall(timeout("WebhooksStripe"))).longest / 2,
    timeout("WebhooksStripe") - stripeMargin,
  ],
  [
    "the response to a ping is awaited within its request",
    pingTimeout + seconds,
    timeout("DestinationsPing") - routeMargin,
  ],
  [
    "the response to a delivery is awaited within its function",
    longestTimeoutMs + awsCall("documentClient"),
    timeout("TriggersDeliver") - triggerMargins.TriggersDeliver,
  ],
  ...queues.map(
    ([id, { Properties }]) =>
      [
        `${id} hides a message for six runs of its function`,
        6 * timeout("TriggersDeliver"),
        Properties.VisibilityTimeout * seconds,
      ] as const,
  ),
  ["a resend is replaced only after its message was given up", Math.max(...untilGivenUp), stalledAfterMs],
  ["the lease of a page of a resend outlasts its function", timeout("TriggersDeliver"), leaseMs],
  ["the lease of the schedule outlasts its function", timeout("TriggersReconcile") + clockMargin, lease("reconcile")],
  [
    "the lease of snapshots outlasts their function",
    timeout("TriggersCompactDirectory") + clockMargin,
    lease("compact-directory"),
  ],
  ["the lease of a ping outlasts its function", timeout("DestinationsPing") + clockMargin, lease("pings/*/*")],
  ["an erasure looks again when all writers have ended", longestFunction + clockMargin, lookAgainMs],
  ...schedules.map(({ id, every }) => [`${id} ends before its next run`, timeout(id) + clockMargin, every] as const),
  ...eventAges.map(({ id, age, interval }) => [`${id} begins before its next run`, age, interval] as const),
  ...mappings.map(
    (age, n) => [`consumer ${n + 1} gives up before its stream does`, age * seconds + minutes, aws.stream] as const,
  ),
];

it.each(budgets)("%s", (_, needed, available) => {
  expect(needed).toBeLessThanOrEqual(available);
});

it("a failed call to Stripe is retried once in each route that calls Stripe", async () => {
  for (const { id } of ofStripe) expect((await stripeCall(timeout(id) - stripeMargin)).retries).toBe(1);
});

it("all schedules and both consumers are checked", () => {
  expect([schedules.length, eventAges.length, mappings.length, queues.length]).toEqual([4, 4, 2, 2]);
});
