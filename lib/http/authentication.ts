import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { isApiKey, parseApiKey } from "../auth/api-key.ts";
import { type AnyCaller, isKeyCaller } from "../auth/caller.ts";
import { assertKeyMayUse } from "../auth/policy.ts";
import { bearerToken } from "../auth/verify.ts";
import type { Route } from "../contract/route.ts";
import { Problem, unauthorized } from "../problem.ts";
import type { Writer } from "../store/table.ts";
import type { Mount } from "./handler.ts";
import { isPersonal } from "./request.ts";

/**
 * Who makes a request. An API key is only parsed here: it is compared with the stored one in parallel with the guard. A
 * route that keys may not use refuses them unread, even if it is public.
 *
 * @throws Problem `missing_token`, `invalid_token`, `expired_token`, `forbidden`
 */
export async function authenticate(
  route: Route,
  event: APIGatewayProxyEventV2,
  { identify }: Mount,
  table: Writer | undefined,
): Promise<AnyCaller | undefined> {
  const { authorization } = event.headers;
  if (route.access === "public" && (route.path === "$default" || !presentsApiKey(authorization))) return undefined;
  const token = bearerToken(authorization);
  if (token === undefined) {
    if (route.access === "optional" && !isPersonal(route, event)) return undefined;
    throw unauthorized("missing_token");
  }
  if (!isApiKey(token)) return identify(token, table);
  const apiKey = parseApiKey(token);
  assertKeyMayUse(route);
  return apiKey;
}

const presentsApiKey = (authorization = ""): boolean => isApiKey(authorization.trim().replace(/^Bearer +/i, ""));

/** @throws Problem `insufficient_user_authentication`, with the challenge of RFC 9470 */
export function assertRecentSignIn({ maxSignInAge }: Route, caller: AnyCaller, now: Date): void {
  const { authTime = 0 } = isKeyCaller(caller) ? {} : caller;
  if (maxSignInAge === undefined || now.getTime() / 1000 - authTime <= maxSignInAge) return;
  const error = 'error="insufficient_user_authentication", error_description="A more recent sign-in is required"';
  const challenge = `Bearer realm="odis", ${error}, max_age="${maxSignInAge}"`;
  throw new Problem("insufficient_user_authentication", { headers: { "www-authenticate": challenge } });
}
