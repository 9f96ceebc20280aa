import { createHash } from "node:crypto";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { AnyCaller } from "../auth/caller.ts";
import type { Route } from "../contract/route.ts";
import { operationId } from "../ids.ts";
import { validationFailed } from "../problem.ts";
import type { Runtime } from "../runtime.ts";

/** The operation of a request. It is the same for all retries with the same `Idempotency-Key`. */
export type RequestedOperation = {
  readonly operationId: string;
  /** Hash of the body. Null without an `Idempotency-Key`. */
  readonly fingerprint: string | null;
  readonly requestId: string;
};

/** The operation of a request. Every POST accepts an `Idempotency-Key`, except the webhook: Stripe's events have ids. */
export function operationOf(
  { method, access }: Route,
  event: APIGatewayProxyEventV2,
  caller: AnyCaller | undefined,
  random: Runtime["random"],
): RequestedOperation {
  const { rawPath, headers, requestContext } = event;
  const idempotencyKey = method === "POST" && access !== "public" ? headers["idempotency-key"] : undefined;
  const routeKey = `${method} ${rawPath}`;
  return {
    operationId: operationId({ sub: caller?.sub ?? "", routeKey, idempotencyKey }, random),
    fingerprint: idempotencyKey === undefined ? null : fingerprintOf(event),
    requestId: requestContext.requestId,
  };
}

function fingerprintOf({ body, isBase64Encoded }: APIGatewayProxyEventV2): string {
  const bytes = Buffer.from(body || "{}", body && isBase64Encoded ? "base64" : "utf8");
  return createHash("sha256").update(bytes).digest("base64url");
}

/** @throws Problem `validation_failed` for an `Idempotency-Key` that is not 1 to 255 printable ASCII characters */
export function assertKey({ headers }: APIGatewayProxyEventV2): void {
  if (/^[ -~]{1,255}$/.test(headers["idempotency-key"] ?? "")) return;
  const message = "must be 1 to 255 printable ASCII characters";
  throw validationFailed([{ parameter: "Idempotency-Key", code: "invalid_format", message }]);
}
