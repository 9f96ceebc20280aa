import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { Caller } from "../auth/caller.ts";
import type { Billing, OpenBilling } from "../billing/stripe.ts";
import type { Route } from "../contract/route.ts";
import type { Grant } from "../guards/guard.ts";
import type { Writer } from "../store/table.ts";
import type { Once, once } from "./idempotency.ts";
import type { limit } from "./limit.ts";
import type { Operation } from "./operation.ts";
import type { Render } from "./reply.ts";

export type Options = {
  /** Stripe, for a route that declares `billing`. Its functions bring it, so that no other carries its code. */
  readonly billing?: OpenBilling;
  /** What makes a POST safe to repeat. Its functions bring it, so that no read carries code that writes. */
  readonly once?: typeof once;
  /** What counts the requests of a route that is `limited`. Its functions bring it too. */
  readonly limit?: typeof limit;
  /** Where it asks Stripe: the table is written in one go after that, so that it can be one with the stored answer. */
  readonly writesLast?: true;
  /** Its effect is several transactions, each of which changes nothing when repeated. */
  readonly writesInSteps?: true;
  /** The other form that the answer can be asked for in. */
  readonly csv?: Render;
  /**
   * A write that starts beside its guard, as reads do, to read what its body names in the same round trip. It writes
   * only once it has its `record`, and its guard refuses nobody: the token alone decides.
   */
  readonly startsEarly?: true;
};

/** An endpoint's parts without their types: the one seam where what is checked at run time meets what is declared. */
export type Parts = {
  readonly route: Route;
  readonly guard: (ask: Pick<Known, "caller" | "params" | "table">) => Promise<Grant>;
  readonly run: (request: object) => Promise<unknown>;
} & Options;

/** What is known of a request so far. It travels on the event, as that is all that middy hands to the handler. */
export type Known = {
  readonly caller: Caller | undefined;
  readonly params: Readonly<Record<string, string | number>>;
  readonly table: Writer | undefined;
  readonly billing: Billing | undefined;
  readonly operation: Operation;
  /** When what it stands for was asked for first: now, unless it is a repetition. */
  readonly begunAt: Date;
  readonly now: Date;
  /** When its function is ended. */
  readonly endsAt: Date;
  once: Once | undefined;
  grant: Promise<Grant>;
  body: unknown;
};

export type Event = APIGatewayProxyEventV2 & { known: Known };
