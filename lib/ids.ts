import { createHash, randomUUID } from "node:crypto";

const epoch = Date.UTC(2025, 0, 1);

/**
 * A new id: 41 bits of milliseconds since 2025-01-01 and 12 random bits, so ids sort by time and fit 2^53 − 1.
 * No counter, no round trip; two of the same millisecond collide once in 4,096, which the Put's
 * `attribute_not_exists` catches.
 */
export function newId(at: Date): number {
  return Math.max(0, at.getTime() - epoch) * 4096 + Math.floor(Math.random() * 4096);
}

/**
 * The id of an operation at Stripe. Requests with the same `Idempotency-Key`, caller and route stand for the same
 * operation; without a key each is one of its own.
 */
export function operationId(callerId: number, routeKey: string, idempotencyKey: string | undefined): string {
  if (idempotencyKey === undefined) return `op_${randomUUID()}`;
  const text = JSON.stringify([callerId, routeKey, idempotencyKey]);
  return `op_${createHash("sha256").update(text).digest("base64url")}`;
}
