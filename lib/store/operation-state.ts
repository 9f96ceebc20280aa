import { keys } from "./keys.ts";
import type { Reader } from "./table.ts";

type RequestedOperation = { readonly operationId: string; readonly fingerprint: string | null };

/**
 * Whether a request with this id and body has begun an operation that Stripe has not refused, so that it may have had an
 * effect. An erasure removes the fingerprint of the body. Does not parse the operation, so that functions without
 * operations need not ship its schema.
 */
export async function mayHaveActed(table: Reader, memberId: number, { operationId, fingerprint }: RequestedOperation) {
  const operation = await table.get(keys.operation(memberId, operationId));
  if (!operation || operation.state === "refused") return false;
  return operation.fingerprint === null || operation.fingerprint === fingerprint;
}
