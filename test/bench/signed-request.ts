import { randomUUID } from "node:crypto";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { routes } from "#lib/contract/index.ts";
import { accessClaims, newSession } from "../../infra/local/cognito/claims.ts";
import { createSigner } from "../../infra/local/cognito/keys.ts";
import { toEvent } from "../../infra/local/gateway/event.ts";
import { matchRoute } from "../../infra/local/gateway/match.ts";

const pool = { region: "eu-central-1", poolId: "eu-central-1_OdisBench", clientId: "odisbenchclient000000000000" };

/** A GET as the gateway hands it to its function, with an admin's token, and the environment that takes the token. */
export async function signedRequest(path: string): Promise<{
  readonly event: APIGatewayProxyEventV2;
  readonly env: Readonly<Record<string, string>>;
}> {
  const match = matchRoute(routes, "GET", path);
  if (!match) throw new Error(`No route takes GET ${path}`);
  const signer = await createSigner(pool.poolId);
  const claims = accessClaims(pool, newSession(randomUUID()), { username: "admin", groups: ["admin"] });
  const token = await signer.sign({ ...claims, user_id: 1 });
  const request = {
    method: "GET",
    target: path,
    protocol: "HTTP/1.1",
    headers: [["authorization", `Bearer ${token}`]] as const,
    body: undefined,
    sourceIp: "192.0.2.1",
  };
  return {
    event: toEvent(request, match, { requestId: randomUUID(), at: new Date() }),
    env: { USER_POOL_ID: pool.poolId, CLIENT_ID: pool.clientId, JWKS: JSON.stringify(signer.jwks) },
  };
}
