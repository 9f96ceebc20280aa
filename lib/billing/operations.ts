import type { Intent, Operation } from "../domain/operation.ts";
import { Problem } from "../problem.ts";
import type { StoredMember } from "../store/members/item.ts";
import { unchanged } from "../store/members/members.ts";
import type { Link } from "../store/members/sync.ts";
import * as operations from "../store/operations.ts";
import { notErased } from "../store/users.ts";
import type { BillingContext } from "./context.ts";

/** Who asks for an operation, and under which id: the same id is the same operation, however often it comes. */
export type OperationRequest = {
  readonly operationId: string;
  /** Of the body, where the request carried an `Idempotency-Key`. */
  readonly fingerprint: string | null;
  /** Null for what nobody asks for. */
  readonly actorId: number | null;
  readonly requestId: string;
  /** When it was asked for first. */
  readonly begunAt: Date;
  /** It may begin only over the version of the member that was read: the request carries If-Match. */
  readonly isConditional: boolean;
};

export const linkOf = ({ id, community_id, user, stripe_customer_id }: StoredMember): Link => ({
  customer_id: stripe_customer_id ?? "",
  community_id,
  member_id: id,
  user_id: user.id,
});

/** @throws Problem `idempotency_key_reused` when the operation was begun by a request with another body */
export function assertSame(operation: Operation, { fingerprint }: OperationRequest): void {
  if (operation.fingerprint !== fingerprint) throw new Problem("idempotency_key_reused");
}

/** Stores an operation before Stripe is called. */
export async function begin(
  { table, now }: BillingContext,
  member: StoredMember,
  intent: Intent,
  request: OperationRequest,
): Promise<Operation> {
  const operation = operationOf(member, intent, request, now);
  const checks = [notErased(member.user.id), ...(request.isConditional ? [unchanged(member)] : [])];
  await operations.begin(table, operation, checks);
  return operation;
}

/** The open operation that a request asks for. */
export const operationOf = (
  member: StoredMember,
  intent: Intent,
  { operationId, fingerprint, actorId, requestId }: OperationRequest,
  now: Date,
): Operation => ({
  id: operationId,
  community_id: member.community_id,
  member_id: member.id,
  customer_id: member.stripe_customer_id ?? "",
  actor_id: actorId,
  request_id: requestId,
  intent,
  fingerprint,
  state: "open",
  created_at: now.toISOString(),
});

/** An operation that was begun before, ready to be asked of Stripe: one that Stripe refused is tried again. */
export const resume = async ({ table, now }: BillingContext, operation: Operation): Promise<Operation> =>
  operation.state === "refused" ? operations.reopen(table, operation, now) : operation;
