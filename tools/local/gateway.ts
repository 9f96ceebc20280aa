import { randomBytes } from "node:crypto";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { type Limited, timeLimitOf } from "#lib/contract/time-limits.ts";
import { message, toAnswer } from "./gateway/answer.ts";
import { type Cors, preflight, withCors } from "./gateway/cors.ts";
import { partsOf, toEvent } from "./gateway/event.ts";
import { matchRoute, type RouteKey } from "./gateway/match.ts";
import { type LambdaContext, lambdaContext } from "./lambda-context.ts";
import { type HttpAnswer, type HttpRequest, type Serving, serve } from "./loopback.ts";
import type { Pages } from "./pages.ts";

type GatewayOptions<Route> = {
  /** 0 selects a free port. */
  readonly port: number;
  readonly routes: readonly Route[];
  readonly invoke: (route: Route, event: APIGatewayProxyEventV2, context: LambdaContext) => Promise<unknown>;
  /** The CORS configuration. By default, pages of other origins cannot call the API. */
  readonly cors?: Cors;
  /** Pages of the local stack besides the API. */
  readonly pages?: Pages | undefined;
  /** Called when a function fails. On AWS, the failure is in the function's log. */
  readonly report?: (failure: unknown) => void;
};

/**
 * Serves API Gateway's HTTP API on this machine, with the routes, events, responses, limits and CORS of the real one.
 */
export function startGateway<Route extends RouteKey & Limited & { readonly id?: string }>({
  port,
  routes,
  invoke,
  cors,
  pages,
  report = console.error,
}: GatewayOptions<Route>): Promise<Serving> {
  return serve({ port, maxBodyBytes: 10 * 1024 * 1024, maxHeaderBytes: 10_240 }, async (request) => {
    const page = pages?.(request);
    if (page) return page;
    const requestId = randomBytes(11).toString("base64");
    const { headers, ...rest } = (cors && preflight(cors, request)) ?? (await respond(request, requestId));
    return { ...rest, headers: [...headers, ["apigw-requestid", requestId]] };
  });

  async function respond(request: HttpRequest, requestId: string): Promise<HttpAnswer> {
    const answer = await routed(request, requestId);
    return cors ? withCors(cors, request, answer) : answer;
  }

  async function routed(request: HttpRequest, requestId: string): Promise<HttpAnswer> {
    if (!request.body) return message(413, "Request Entity Too Large");
    const { path } = partsOf(request.target);
    if (!isWellFormed(path)) return message(400, "Bad Request");
    const match = matchRoute(routes, request.method, path);
    if (!match) return message(404, "Not Found");

    const event = toEvent(request, match, { requestId, at: new Date() });
    try {
      const name = match.route.id ?? match.route.key;
      return toAnswer(await invoke(match.route, event, lambdaContext(name, timeLimitOf(match.route))));
    } catch (failure) {
      report(failure);
      return message(500, "Internal Server Error");
    }
  }
}

/** Whether all percent signs of a path are escapes of valid UTF-8. */
function isWellFormed(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
