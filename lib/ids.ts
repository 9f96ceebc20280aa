import { createHash, randomUUID } from "node:crypto";

const epoch = Date.UTC(2025, 0, 1);

/**
 * A new id: 41 bits of milliseconds since 2025-01-01 and 12 random bits, so ids sort by time and fit 2^53 − 1.
 * No counter, no round trip; two of the same millisecond collide once in 4,096, which the Put's
 * `attribute_not_exists` catches. With a seed the same moment always has the same id.
 */
export function newId(at: Date, seed?: string): number {
  const bits = seed === undefined ? Math.floor(Math.random() * 4096) : sha256(seed).readUInt16BE() % 4096;
  return Math.max(0, at.getTime() - epoch) * 4096 + bits;
}

/**
 * An id for something that came to be before it was known here. As many may have come to be at the same moment (midnight,
 * where only the day is known), it is one out of the minute after. Those before 2025 share the first weeks of that year,
 * when nothing was made yet: five ids for each millisecond since 1970.
 */
export function pastId(at: Date): number {
  const time = Math.max(0, at.getTime()) + Math.floor(Math.random() * 60_000);
  return Math.max(1 + time * 5 + Math.floor(Math.random() * 5), newId(new Date(time)));
}

/**
 * The id of what a request stands for, at Stripe too. Requests with the same `Idempotency-Key`, caller and route stand
 * for the same; without a key each stands for itself.
 */
export function operationId(sub: string, routeKey: string, idempotencyKey: string | undefined): string {
  if (idempotencyKey === undefined) return `op_${randomUUID()}`;
  return `op_${sha256(JSON.stringify([sub, routeKey, idempotencyKey])).toString("base64url")}`;
}

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
