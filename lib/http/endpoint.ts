import middy from "@middy/core";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { isWarmUp } from "../contract/keep-warm.ts";
import type { Route } from "../contract/route.ts";
import type { Grant } from "../guards/guard.ts";
import { addLogFields, logError, logged } from "../log.ts";
import { Problem } from "../problem.ts";
import { Contention } from "../store/failure.ts";
import { bodyOf, type RequestContext, unread } from "./body.ts";
import type { EffectOptions } from "./effects.ts";
import { handle } from "./handle.ts";
import type { BegunOption, Endpoint, ForAccess, Guard, Handler, ReadInput } from "./handler.ts";
import { type Reply, replyWithProblem } from "./reply.ts";

type Guarded<R extends Route, G extends Grant, D> =
  | Guard<R, G>
  /**
   * `read` runs in parallel with the guard, which saves a round trip. The data it reads are not returned if the guard
   * refuses the request.
   */
  | { readonly guard: Guard<R, G>; readonly read: (input: ReadInput<R>) => Promise<D> };

/** Combines a route, its guard and its handler into an endpoint, which still needs a platform. */
export function endpoint<const R extends Route, G extends Grant, D = undefined>(
  route: R,
  guarded: Guarded<R, G, D> & ForAccess<R, G>,
  handler: Handler<R, G, D>,
  options: EffectOptions & BegunOption<G> = {},
): Endpoint {
  const { guard, read }: { guard: Guard<R, G>; read?: (input: ReadInput<R>) => Promise<D> } =
    typeof guarded === "function" ? { guard: guarded } : guarded;
  const parts = { route, guard, read, handler, options };

  return {
    route,
    on(mount) {
      const answer = middy<APIGatewayProxyEventV2, Reply, Error, RequestContext>({ timeoutEarlyInMillis: 0 })
        .use(problemReplies)
        .use(bodyOf(route))
        .handler((event, context) => handle(parts, mount, event, context));
      return async (event, context) => {
        if (isWarmUp(event)) return { statusCode: 204 };
        return logged({ request_id: event.requestContext.requestId, route: event.routeKey }, mount.now, () =>
          answer(event, Object.assign(context, unread)),
        );
      };
    },
  };
}

/** Turns any error into a problem document, and logs unexpected errors. */
const problemReplies: middy.MiddlewareObj<APIGatewayProxyEventV2, Reply> = {
  onError(request) {
    const { error, event } = request;
    const problem = error instanceof Problem ? error : new Problem("internal", { cause: error });
    addLogFields({ problem: problem.code });
    if (problem.status >= 500 && !(problem instanceof Contention)) logError(problem);
    request.response = replyWithProblem(problem, event);
  },
};
