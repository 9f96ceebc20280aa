import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import type { Caller } from "../auth/caller.ts";
import type { Billing } from "../billing/stripe.ts";
import type { Answer, Body, Params, Query, Route } from "../contract/route.ts";
import type { Grant } from "../guards/guard.ts";
import type { Platform } from "../platform.ts";
import type { Reader, Writer } from "../store/table.ts";
import type { Options } from "./known.ts";
import type { Operation } from "./operation.ts";

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

/** Everything a handler may touch. What its route does not declare is `undefined` here and denied by IAM. */
export type Request<R extends Route, G extends Grant> = {
  readonly params: Params<R>;
  readonly query: Query<R>;
  readonly body: Body<R>;
  readonly caller: CallerOf<R>;
  readonly table: TableOf<R>;
  readonly billing: R extends { billing: true } ? Billing : undefined;
  /** What the request stands for at Stripe, and since when: the same for every repetition of it. */
  readonly operation: R extends { billing: true } ? Operation & { readonly begunAt: Date } : undefined;
  readonly now: Date;
  /** As the caller sees it in `x-request-id`. */
  readonly requestId: string;
  /** What the guard has read. Promises, so that a read starts beside its guard: one round trip, not two. */
  readonly parent: Promise<G["parent"]>;
  readonly record: Promise<NonNullable<G["record"]>>;
  readonly event: APIGatewayProxyEventV2;
};

/** A guard for a route: see `guards/guard.ts`. */
export type GuardOf<R extends Route, G extends Grant> = (
  ask: Pick<Request<R, G>, "caller" | "params"> & { readonly table: Reader },
) => Promise<G>;

export type Run<R extends Route, G extends Grant> = (request: Request<R, G>) => Promise<Answer<R>>;

type Repeatable = { readonly method: "POST"; readonly access: Exclude<Route["access"], "public"> };
type Needed<R extends Route> =
  | (R extends Repeatable ? "once" : never)
  | (R extends { limited: true } ? "limit" : never)
  | (R extends { billing: true } ? "billing" : never)
  | (R extends { csv: true } ? "csv" : never);

/** What else an endpoint is made of: what its route needs, its functions bring. */
export type OptionsOf<R extends Route> = [Needed<R>] extends [never]
  ? [options?: Options]
  : [options: Options & Required<Pick<Options, Needed<R>>>];

export type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;

/** A Lambda handler; `on` gives the same on another platform, for tests. */
export type Endpoint = Handler & { readonly route: Route; on(platform: Platform): Handler };
