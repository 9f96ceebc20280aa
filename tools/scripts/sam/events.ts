import { createHmac, randomUUID } from "node:crypto";
import * as v from "valibot";
import { routes } from "#lib/contract/index.ts";
import type { Route } from "#lib/contract/route.ts";
import { sources as eventSources } from "#lib/events/sources.ts";
import { sources as projectionSources } from "#lib/projections/sources.ts";
import type { Key } from "#lib/store/keys.ts";
import { confirmationEvent, tokenEvent } from "../../local/cognito/trigger.ts";
import type { User } from "../../local/cognito/users.ts";
import { toEvent } from "../../local/gateway/event.ts";
import { matchRoute } from "../../local/gateway/match.ts";
import { openStream } from "../../local/streams/reader.ts";
import { isWanted } from "../../local/streams.ts";
import { subOf } from "../../local/users.ts";
import { type Example, examplesOf } from "./examples.ts";
import { findRecords, type Local } from "./records.ts";

/**
 * Returns an event for each function by its id, with data of a running stack: `MembersList` → the event from API
 * Gateway.
 */
export async function eventsOf(local: Local): Promise<Record<string, unknown>> {
  const examples = examplesOf(await findRecords(local), local, await stripeEvent(local));
  const ofRoutes = examples.map((example): [string, unknown] => {
    const route = routes.find(({ key }) => key === keyOf(example.route));
    if (!route) throw new Error(`${keyOf(example.route)} is not in the contract`);
    return [route.id, gatewayEvent(example, local)];
  });
  return { ...Object.fromEntries(ofRoutes), ...(await triggerEvents(local)) };
}

const keyOf = ({ method, path }: Route): string => (path === "$default" ? path : `${method} ${path}`);

function gatewayEvent({ route, as, params = {}, query = {}, headers = {}, body }: Example, local: Local) {
  const path =
    route.path === "$default" ? "/nowhere" : route.path.replace(/\{(\w+)\}/g, (_, name: string) => `${params[name]}`);
  const method = route.method === "ANY" ? "GET" : route.method;
  const match = matchRoute(routes, method, path);
  if (!match) throw new Error(`${method} ${path} reaches no route`);
  const search = new URLSearchParams(query).toString();
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const sent = {
    host: new URL(local.api_url).host,
    "user-agent": "sam",
    ...(as && { authorization: `Bearer ${local.tokens[as]}` }),
    ...(text !== undefined && { "content-type": "application/json" }),
    ...headers,
  };
  const request = {
    method,
    target: search ? `${path}?${search}` : path,
    protocol: "HTTP/1.1",
    headers: Object.entries(sent),
    body: Buffer.from(text ?? ""),
    sourceIp: "127.0.0.1",
  };
  return toEvent(request, match, { requestId: randomUUID(), at: new Date() });
}

const StripeSecret = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ secret_key: v.string(), webhook_secret: v.string() }),
);
const StripeEvents = v.object({ data: v.tupleWithRest([v.looseObject({})], v.unknown()) });

/**
 * Returns the newest event of a customer at Stripe or its stand-in, with a new signature, because signatures are valid
 * for minutes.
 */
async function stripeEvent({ environment }: Local): Promise<{ body: string; signature: string }> {
  const { secret_key, webhook_secret } = v.parse(StripeSecret, environment.STRIPE_SECRET);
  const base = environment.STRIPE_API_BASE ?? "https://api.stripe.com";
  const response = await fetch(`${base}/v1/events?type=customer.updated&limit=1`, {
    headers: { authorization: `Bearer ${secret_key}` },
  });
  const body = JSON.stringify(v.parse(StripeEvents, await response.json()).data[0]);
  const at = Math.floor(Date.now() / 1000);
  const digest = createHmac("sha256", webhook_secret).update(`${at}.${body}`).digest("hex");
  return { body, signature: `t=${at},v1=${digest}` };
}

/**
 * Returns the events for functions that AWS calls itself: a sign-in, a schedule, and the newest records of the table's
 * stream.
 */
async function triggerEvents({ environment, users }: Local): Promise<Record<string, unknown>> {
  const { AWS_REGION: region = "", USER_POOL_ID: poolId = "", CLIENT_ID: clientId = "" } = environment;
  const names = { sub: subOf(users.member), username: "member", email: "member@example.com", email_verified: true };
  const person: User = { ...names, groups: [], has_totp: false, status: "CONFIRMED" };
  const pool = { region, poolId, clientId };
  return {
    TriggersPreTokenGeneration: tokenEvent(pool, person, "Authentication"),
    TriggersPostConfirmation: confirmationEvent(pool, person, "ConfirmForgotPassword"),
    TriggersProjections: { Records: await newestRecords(environment, projectionSources) },
    TriggersEvents: { Records: await newestRecords(environment, eventSources) },
    TriggersDeliver: { Records: [queued(anEvent)] },
    TriggersCanary: scheduled(region, "TriggersCanarySchedule"),
    TriggersReconcile: scheduled(region, "TriggersReconcileSchedule"),
    TriggersCompactDirectory: scheduled(region, "TriggersCompactDirectorySchedule"),
    TriggersExportAccounts: scheduled(region, "TriggersExportAccountsSchedule"),
  };
}

async function newestRecords(
  { AWS_ENDPOINT_URL_DYNAMODB: endpoint = "", TABLE_NAME: tableName = "" }: Local["environment"],
  sources: readonly Key[],
) {
  const stream = await openStream(endpoint, tableName);
  const shards = await Promise.all((await stream.shards()).map((shard) => stream.read(shard, undefined)));
  return shards
    .flat()
    .filter((record) => isWanted(sources, record))
    .slice(-3);
}

/** An event of a community that does not exist, as the rule of the bus sends it to the queue. */
const anEvent = {
  detail: {
    id: randomUUID(),
    type: "member.joined",
    timestamp: new Date().toISOString(),
    sequence: 1,
    subject: "communities/9007199254740991/members/1",
    community_id: 9_007_199_254_740_991,
    data: {},
    previous: {},
  },
};

const queued = (message: object) => ({
  messageId: randomUUID(),
  receiptHandle: "",
  body: JSON.stringify(message),
  attributes: {},
  messageAttributes: {},
  md5OfBody: "",
  eventSource: "aws:sqs",
  eventSourceARN: "arn:aws:sqs:eu-central-1:000000000000:deliveries",
  awsRegion: "eu-central-1",
});

const scheduled = (region: string, rule: string) => ({
  version: "0",
  id: randomUUID(),
  "detail-type": "Scheduled Event",
  source: "aws.events",
  account: "000000000000",
  time: new Date().toISOString(),
  region,
  resources: [`arn:aws:events:${region}:000000000000:rule/${rule}`],
  detail: {},
});
