import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import type { Route } from "#lib/contract/route.ts";
import { timeLimitOf } from "#lib/contract/time-limits.ts";
import type { Endpoint } from "#lib/http/handler.ts";
import { subOf } from "../../../tools/local/users.ts";
import { Crashed } from "./invocation.ts";
import { takeCause } from "./log.ts";
import type { Token } from "./user-pool.ts";
import type { World } from "./world.ts";

/** The caller of a request. */
export type As = {
  readonly id: number;
  readonly groups?: readonly string[];
  readonly authTime?: number;
  /** An access token of the user pool. Default: a token that is always valid. */
  readonly token?: Token;
  /** The API key that is sent instead of a token. The caller then has a negative `id`, which is that of no user. */
  readonly apiKey?: { readonly id: number; readonly text: string };
};

export type Call = {
  readonly as?: As | undefined;
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: string;
  readonly body?: unknown;
  /** A body that is sent as it is instead of as JSON. */
  readonly raw?: string;
  readonly key?: string | undefined;
  /** The URL of the event destination whose secret the response shows. */
  readonly receiver?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the environment's calls are slow. */
  readonly isSluggish?: boolean;
};

/** The outcome of a request: a response, or status 599 if the function crashed. */
export type Outcome = {
  /** Whether the request is repeated after its key has expired, and so may take effect again. */
  readonly mayRepeat?: boolean;
  /** Subscriptions that the request has ended at Stripe, including by calls whose response is late or lost. */
  readonly ended: ReadonlySet<string>;
  /** The error behind a 500 response. */
  readonly defect?: string | undefined;
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** The response body as it was sent. */
  readonly text: string;
  /** Whether the request has called Stripe to change something. */
  readonly hasWrittenAtStripe: boolean;
  /** Whether all rate limits applied to the request. */
  readonly isLimited: boolean;
  /** Time at which the request was sent, and time of the response or timeout. */
  readonly from: number;
  readonly to: number;
};

export const isOk = ({ status }: Outcome): boolean => status >= 200 && status < 300;

/** Whether a request may have had an effect. A refused request has none. */
export const mayHaveActed = ({ status }: Outcome): boolean => status < 300 || status >= 500;

/** The simulation's own status for a request whose function crashed. */
const crashed = 599;

/** Sends a request to an endpoint in one of the environments, and records its outcome. */
export async function request(
  world: World,
  endpoint: Endpoint | "explore",
  call: Call,
  { seed, place = 0 }: { readonly seed: string; readonly place?: number },
): Promise<Outcome> {
  const environment = world.environments[place % world.environments.length];
  if (!environment) throw new Error("There is no environment");
  const { route, on } = endpoint === "explore" ? environment.explore : endpoint;
  const { timeline, journal } = world;
  const from = timeline.now;
  const lifetime = 1000 * timeLimitOf(route);
  const name = `${route.method} ${pathOf(route, call)}${call.query ? `?${call.query}` : ""}`;
  let ended: ReadonlySet<string> = new Set();
  let hasWrittenAtStripe = false;
  const areLimitsOn = world.areLimitsOn;
  try {
    let id = "";
    const { skew, memory } = environment;
    const isSluggish = call.isSluggish ?? world.faults.strikes("environment_sluggish", world.chance);
    const answer = await world.invoke(
      "api",
      { lifetime, seed, skew, memory, isSluggish },
      async (mount, invocation) => {
        ({ id, ended } = invocation);
        if (call.key !== undefined) world.noteOperation(id, `of user ${call.as?.id} with key ${call.key}`);
        const response = await on(mount)(eventFor(route, call, id), invocation.context);
        ({ hasWrittenAtStripe } = invocation);
        return response;
      },
    );
    const text = answer.body ?? "";
    const status = answer.statusCode ?? 0;
    world.noteResponse(route, status);
    const body = parsed(text);
    const code = status < 400 ? "" : ` ${String(body.code)}`;
    journal.note(
      `${who(call)} ${name} ${described(call)}-> ${status}${code} after ${Math.round(timeline.now - from)} ms`,
    );
    const headers = answer.headers ?? {};
    const isLimited = areLimitsOn && world.areLimitsOn;
    const effects = { ended, hasWrittenAtStripe };
    return { ...effects, defect: takeCause(id), status, headers, body, text, isLimited, from, to: timeline.now };
  } catch (error) {
    if (!(error instanceof Crashed)) throw error;
    journal.note(`${who(call)} ${name} ${described(call)}-> crashed`);
    // A crash also loses the memory of the environment.
    world.restart(place % world.environments.length);
    return {
      ended,
      hasWrittenAtStripe,
      status: crashed,
      headers: {},
      body: {},
      text: "",
      isLimited: false,
      from,
      to: timeline.now,
    };
  }
}

/** Sends a request to an endpoint without faults and delays. */
export async function requestOutside(world: World, { route, on }: Endpoint, call: Call) {
  const event = eventFor(route, call, `outside-${world.timeline.now}`);
  const context = { getRemainingTimeInMillis: () => 10_000 } as Context;
  const { statusCode = 0, body = "" } = await on(world.outside)(event, context);
  return { status: statusCode, body: parsed(body) };
}

const who = ({ as }: Call): string => (as ? (as.apiKey ? `key ${as.apiKey.id}` : `user ${as.id}`) : "anybody");

const described = ({ body, key }: Call): string =>
  `${body === undefined ? "" : `${JSON.stringify(body)} `}${key === undefined ? "" : `key ${key} `}`;

function parsed(text: string): Record<string, unknown> {
  return text.startsWith("{") ? (JSON.parse(text) as Record<string, unknown>) : {};
}

const pathOf = ({ path }: Route, { params = {} }: Call): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name]));

/** Creates the event that API Gateway passes to a function. */
export function eventFor(route: Route, call: Call, requestId: string): APIGatewayProxyEventV2 {
  const { as, params = {}, query = "", body, raw, key, headers } = call;
  const caller = as && (as.token ?? { groups: [], username: `user${as.id}`, ...as, sub: subOf(as.id) });
  const token = as?.apiKey?.text ?? (caller && Buffer.from(JSON.stringify(caller)).toString("base64url"));
  return {
    version: "2.0",
    routeKey: `${route.method} ${route.path}`,
    rawPath: pathOf(route, call),
    rawQueryString: query,
    headers: {
      "content-type": "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(key !== undefined && { "idempotency-key": key }),
      ...headers,
    },
    pathParameters: Object.fromEntries(Object.entries(params).map(([name, value]) => [name, String(value)])),
    requestContext: { requestId, http: { method: route.method } },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(raw !== undefined && { body: raw }),
    isBase64Encoded: false,
  } as never;
}
