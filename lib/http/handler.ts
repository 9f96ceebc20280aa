import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import type { Caller } from "../auth/caller.ts";
import type { OperationRequest } from "../billing/operations.ts";
import type { Billing, OpenBilling } from "../billing/stripe.ts";
import type { Answer, Body, Params, Query, Route } from "../contract/route.ts";
import type { Enqueue } from "../delivery/queue.ts";
import type { openSealing } from "../delivery/sealing.ts";
import type { Grant } from "../guards/guard.ts";
import type { Platform } from "../platform.ts";
import type { Actor } from "../store/activity.ts";
import type { Reader, Writer } from "../store/table.ts";
import type { csvOf } from "./csv.ts";
import type { EffectOptions } from "./effects.ts";
import type { idempotent } from "./idempotency.ts";
import type { limit } from "./limit.ts";

type CallerOf<R extends Route> = R["access"] extends "public"
  ? undefined
  : R["access"] extends "optional"
    ? Caller | undefined
    : Caller;

type TableOf<R extends Route> = R extends { table: "write" }
  ? Writer
  : R extends { table: "read" }
    ? Reader
    : undefined;

/** What a guard is given: it reads what a right depends on, whatever the route may write. */
export type GuardInput<R extends Route> = {
  readonly caller: CallerOf<R>;
  readonly params: Params<R>;
  readonly table: Reader;
};

/** Reads what a right depends on, and the record: see `lib/guards`. */
export type Guard<R extends Route, G extends Grant> = (input: GuardInput<R>) => Promise<G>;

/** The guard of a route with access `owner` must return what the caller has to own. */
export type ForAccess<R extends Route, G extends Grant> = R["access"] extends "owner"
  ? G extends Required<Pick<Grant, "owned">>
    ? unknown
    : "the guard of a route with access `owner` says what must be `owned`"
  : unknown;

/** What a read beside the guard is given. */
export type ReadInput<R extends Route> = Omit<GuardInput<R>, "table"> & {
  readonly table: TableOf<R>;
  readonly query: Query<R>;
  readonly body: Body<R>;
};

/** Everything that a handler may use. Parts that its route does not declare are `undefined` here and denied by IAM. */
export type HandlerInput<R extends Route, G extends Grant, D> = ReadInput<R> & {
  /** What the guard has read above the record, such as the community of a member. */
  readonly parent: G["parent"];
  /** The record that the path names. */
  readonly record: NonNullable<G["record"]>;
  /** The data that the guard has read. */
  readonly read: D;
  readonly billing: R extends { billing: "read" | "write" } ? Billing : undefined;
  /** Who acts, for the record of what was done. Only for routes that write. */
  readonly actor: R extends { table: "write" } ? Actor : undefined;
  /** Puts tasks into the queues of deliveries. */
  readonly enqueue: R extends { queues: true } ? Enqueue : undefined;
  /** What the request stands for outside of the table: the same for every repetition of it. */
  readonly operation: R extends { billing: "read" | "write" } | { queues: true } ? OperationRequest : undefined;
  readonly now: Date;
  readonly event: APIGatewayProxyEventV2;
};

export type Handler<R extends Route, G extends Grant, D> = (
  input: HandlerInput<R, G, D>,
) => Answer<R> | Promise<Answer<R>>;

/** The parts of an endpoint, as its function gives them. */
export type EndpointParts<R extends Route, G extends Grant, D> = {
  readonly route: R;
  readonly guard: Guard<R, G>;
  readonly read: ((input: ReadInput<R>) => Promise<D>) | undefined;
  readonly handler: Handler<R, G, D>;
  readonly options: EffectOptions;
};

/** What an endpoint runs on: the outside world, and the code that its route needs, which the build adds to its bundle. */
export type Mount = Platform & {
  /** Stripe, for a route that declares `billing`. */
  readonly billing?: OpenBilling;
  /** The queues of deliveries, for a route that `queues`. */
  readonly enqueue?: Enqueue;
  /** For a POST with a caller. */
  readonly idempotent?: typeof idempotent;
  /** For a POST that `seals`. */
  readonly sealing?: typeof openSealing;
  /** For a route that is `limited`. */
  readonly limit?: typeof limit;
  /** For a route that declares `csv`. */
  readonly csv?: typeof csvOf;
};

export type LambdaHandler = (
  event: APIGatewayProxyEventV2,
  context: Context,
) => Promise<APIGatewayProxyStructuredResultV2>;

/** A route with its guard and handler, without the platform. */
export type Endpoint = { readonly route: Route; readonly on: (mount: Mount) => LambdaHandler };
