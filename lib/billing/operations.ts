import type { Intent, Operation } from "../domain/operation.ts";
import { Problem } from "../problem.ts";
import type { StoredMember } from "../store/members/item.ts";
import { unchanged } from "../store/members/members.ts";
import type { Link } from "../store/members/sync.ts";
import * as operations from "../store/operations.ts";
import { whileAuthorized } from "../store/ownership.ts";
import type { Write } from "../store/table.ts";
import { notErased } from "../store/users.ts";
import type { BillingContext } from "./context.ts";

/** The request for an operation. Requests with the same operation id are attempts at the same operation. */
export type OperationRequest = {
  readonly operationId: string;
  /** Hash of the request body. Null if the request has no `Idempotency-Key`. */
  readonly fingerprint: string | null;
  /** The user who made the request. `null` if an API key or the system did. */
  readonly actorId: number | null;
  /** The API key that made the request. */
  readonly apiKeyId?: number | undefined;
  readonly requestId: string;
  /** Time of the first attempt. */
  readonly begunAt: Date;
  /** Whether the operation may begin only if the member has not changed since it was read (`If-Match`). */
  readonly isConditional: boolean;
};

export const linkOf = ({ id, community_id, user, stripe_customer_id }: StoredMember): Link => ({
  customer_id: stripe_customer_id ?? "",
  community_id,
  member_id: id,
  user_id: user.id,
});

/** @throws Problem `idempotency_key_reused` if the operation was begun by a request with another body */
export function assertSameRequest(operation: Operation, { fingerprint }: OperationRequest): void {
  if (operation.fingerprint !== fingerprint) throw new Problem("idempotency_key_reused");
}

/**
 * Stores an operation, and other writes with it, before Stripe is called. Throws a `Conflict` if the caller may have lost the
 * right to it.
 */
export async function begin(
  { table, now }: BillingContext,
  member: StoredMember,
  intent: Intent,
  request: OperationRequest,
  others: readonly Write[] = [],
): Promise<Operation> {
  const operation = operationOf(member, intent, request, now);
  const checks = [notErased(member.user.id), ...(request.isConditional ? [unchanged(member)] : [])];
  await operations.begin(whileAuthorized(table), operation, [...checks, ...others]);
  return operation;
}

/** The open operation of a request. */
export const operationOf = (
  member: StoredMember,
  intent: Intent,
  { operationId, fingerprint, actorId, apiKeyId, requestId }: OperationRequest,
  now: Date,
): Operation => ({
  id: operationId,
  community_id: member.community_id,
  member_id: member.id,
  customer_id: member.stripe_customer_id ?? "",
  actor_id: actorId,
  ...(apiKeyId !== undefined && { api_key_id: apiKeyId }),
  request_id: requestId,
  intent,
  fingerprint,
  state: "open",
  created_at: now.toISOString(),
});

/** Prepares a stored operation for another attempt. Reopens an operation that Stripe refused. */
export const resume = async ({ table, now }: BillingContext, operation: Operation): Promise<Operation> =>
  operation.state === "refused" ? operations.reopen(whileAuthorized(table), operation, now) : operation;
