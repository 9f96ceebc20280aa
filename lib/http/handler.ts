import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import type { AnyCaller, Caller } from "../auth/caller.ts";
import type { Right } from "../auth/rights.ts";
import type { OperationRequest } from "../billing/operations.ts";
import type { Billing, OpenBilling } from "../billing/stripe.ts";
import type { Answer, Body, Params, Query, Route } from "../contract/route.ts";
import type { Enqueue } from "../delivery/queue.ts";
import type { openSealing } from "../delivery/sealing.ts";
import type { Grant, PlaceIn } from "../guards/guard.ts";
import type { Platform } from "../platform.ts";
import type { Actor, UserActor } from "../store/activity.ts";
import type { IndexReader, Reader, Writer } from "../store/table.ts";
import type { TeamRole } from "../values/team-role.ts";
import type { AddressOf } from "../verified-address.ts";
import type { csvOf } from "./csv.ts";
import type { EffectOptions } from "./effects.ts";
import type { idempotent } from "./idempotency.ts";
import type { limit } from "./limit.ts";

/** Only routes with a right may be called with an API key. */
type CallerOf<R extends Route> = R["access"] extends "public"
  ? undefined
  : R["access"] extends "optional"
    ? Caller | undefined
    : R extends { right: Right }
      ? AnyCaller
      : Caller;

type ActorOf<R extends Route> = R extends { table: "write" }
  ? R extends { right: Right }
    ? Actor
    : UserActor
  : undefined;

type TableOf<R extends Route> = R extends { table: "write" }
  ? Writer
  : R extends { table: "read" }
    ? R extends { indexes: true }
      ? IndexReader
      : Reader
    : undefined;

/** The input of a guard. Its table is read-only, even if the route writes. */
export type GuardInput<R extends Route> = {
  readonly caller: CallerOf<R>;
  readonly params: Params<R>;
  readonly table: Reader;
  readonly placeIn: PlaceIn;
  readonly addressOf: R extends { readsAddress: true } ? AddressOf : undefined;
};

/** Reads the data that access depends on, and the record (`lib/guards`). */
export type Guard<R extends Route, G extends Grant> = (input: GuardInput<R>) => Promise<G>;

/** The guard of a route with access `owner` must return the community that the caller has to own. */
export type ForAccess<R extends Route, G extends Grant> = R["access"] extends "owner"
  ? G extends Required<Pick<Grant, "owned">>
    ? unknown
    : "the guard of a route with access `owner` says what must be `owned`"
  : unknown;

/** The input of `read`, which runs in parallel with the guard. */
export type ReadInput<R extends Route> = Omit<GuardInput<R>, "table" | "placeIn" | "addressOf"> & {
  readonly table: TableOf<R>;
  readonly query: Query<R>;
  readonly body: Body<R>;
};

/** The input of a handler. Parts that its route does not declare are `undefined`, and IAM denies access to them. */
export type HandlerInput<R extends Route, G extends Grant, D> = ReadInput<R> & {
  /** The parent of the record, as read by the guard, such as the community of a member. */
  readonly parent: G["parent"];
  /** The record in the path. */
  readonly record: NonNullable<G["record"]>;
  /** The role that allows the request. Undefined for the owner, admins and routes without roles. */
  readonly role: TeamRole | undefined;
  /** The data that the guard has read. */
  readonly read: D;
  readonly billing: R extends { billing: "read" | "write" } ? Billing : undefined;
  /** The actor for audit entries. Only for routes that write. */
  readonly actor: ActorOf<R>;
  /** Reads the verified email address of a caller. */
  readonly addressOf: R extends { readsAddress: true } ? AddressOf : undefined;
  /** Sends messages to the delivery queues. */
  readonly enqueue: R extends { queues: true } ? Enqueue : undefined;
  /** Identifies the request in other systems. The same for every retry. */
  readonly operation: R extends { billing: "read" | "write" } | { queues: true } ? OperationRequest : undefined;
  readonly now: Date;
  readonly event: APIGatewayProxyEventV2;
};

export type Handler<R extends Route, G extends Grant, D> = (
  input: HandlerInput<R, G, D>,
) => Answer<R> | Promise<Answer<R>>;

/** The parts from which a function makes an endpoint. */
export type EndpointParts<R extends Route, G extends Grant, D> = {
  readonly route: R;
  readonly guard: Guard<R, G>;
  readonly read: ((input: ReadInput<R>) => Promise<D>) | undefined;
  readonly handler: Handler<R, G, D>;
  readonly options: EffectOptions & BegunOption<G>;
};

/** For a route that stores no operation, although its effect is not a single write of the table. */
export type BegunOption<G extends Grant> = {
  /** Whether an earlier attempt at the request has begun its effect, so that If-Match is not evaluated again. */
  readonly hasBegun?: (attempt: EarlierAttempt<G>) => boolean | Promise<boolean>;
};

/** What shows whether an earlier attempt has begun the effect of a request. */
export type EarlierAttempt<G extends Grant> = {
  /** The record as it is now. */
  readonly record: NonNullable<G["record"]>;
  readonly table: Reader;
  /** Time of the first attempt. */
  readonly begunAt: Date;
};

/** The platform of an endpoint, and the optional modules that its route needs, which the build adds to its bundle. */
export type Mount = Platform & {
  /** Opens Stripe, for a route that declares `billing`. */
  readonly billing?: OpenBilling;
  /** For a route that declares `queues`. */
  readonly enqueue?: Enqueue;
  /** For a route that declares `readsAddress`. */
  readonly addressOf?: AddressOf;
  /** For a POST that requires a caller. */
  readonly idempotent?: typeof idempotent;
  /** For a POST that declares `seals`. */
  readonly sealing?: typeof openSealing;
  /** For a route that declares `limited`. */
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
