import { createHash } from "node:crypto";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { Request } from "../billing/operations.ts";
import { operationId } from "../ids.ts";
import { Problem } from "../problem.ts";

/**
 * What a request stands for at Stripe. With an `Idempotency-Key` every repetition of it has the same id, and a
 * fingerprint of the body that must not change; without one each request is an operation of its own.
 *
 * @throws Problem `validation_failed` for a key that is not 1 to 255 printable ASCII characters
 */
export function operationOf(
  { rawPath, headers, body = "", requestContext }: APIGatewayProxyEventV2,
  callerId: number,
): Pick<Request, "operationId" | "fingerprint" | "requestId"> {
  const key = headers["idempotency-key"];
  if (key !== undefined && !/^[ -~]{1,255}$/.test(key)) {
    const message = "must be 1 to 255 printable ASCII characters";
    const errors = [{ parameter: "Idempotency-Key", code: "invalid_format", message }];
    throw new Problem("validation_failed", { detail: `Idempotency-Key ${message}`, errors });
  }
  return {
    operationId: operationId(callerId, `${requestContext.http.method} ${rawPath}`, key),
    fingerprint: key === undefined ? null : createHash("sha256").update(body).digest("base64url"),
    requestId: requestContext.requestId,
  };
}
