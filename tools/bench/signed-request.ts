import { randomUUID } from "node:crypto";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { routes } from "#lib/contract/index.ts";
import { accessClaims, newSession } from "../local/cognito/claims.ts";
import { createSigner } from "../local/cognito/keys.ts";
import { toEvent } from "../local/gateway/event.ts";
import { matchRoute } from "../local/gateway/match.ts";

const pool = { region: "eu-central-1", poolId: "eu-central-1_OdisBench", clientId: "odisbenchclient000000000000" };

/**
 * GET requests as API Gateway passes them to functions, with an admin's token, and the environment that verifies it.
 */
export async function signedRequests<Name extends string>(paths: Readonly<Record<Name, string>>) {
  const signer = await createSigner(pool.poolId);
  const claims = accessClaims(pool, newSession(randomUUID()), { username: "admin", groups: ["admin"] });
  const token = await signer.sign({ ...claims, user_id: 1, admin_since: 1 });
  const events = Object.fromEntries(
    Object.entries<string>(paths).map(([name, path]) => [name, eventOf(path, token)]),
  ) as Record<Name, APIGatewayProxyEventV2>;
  return {
    events,
    env: { USER_POOL_ID: pool.poolId, CLIENT_ID: pool.clientId, JWKS: JSON.stringify(signer.jwks) },
  };
}

function eventOf(path: string, token: string): APIGatewayProxyEventV2 {
  const match = matchRoute(routes, "GET", path);
  if (!match) throw new Error(`No route takes GET ${path}`);
  const request = {
    method: "GET",
    target: path,
    protocol: "HTTP/1.1",
    headers: [
      ["host", "api.example.com"],
      ["authorization", `Bearer ${token}`],
    ] as const,
    body: undefined,
    sourceIp: "192.0.2.1",
  };
  return toEvent(request, match, { requestId: randomUUID(), at: new Date() });
}
