import { createHash } from "node:crypto";
import type { Runtime } from "./runtime.ts";

const epoch = Date.UTC(2025, 0, 1);

type Random = Runtime["random"];

/**
 * A new id: 41 bits of milliseconds since 2025-01-01 and 12 random bits, so ids sort by time and fit 2^53 − 1.
 * Needs no counter and no round trip. Two ids of the same millisecond collide once in 4,096 cases, which the condition of
 * the write detects.
 */
export const newId = (at: Date, random: Random): number => idAt(at, Math.floor(random() * 4096));

/** The time in an id. */
export const timeOf = (id: number): Date => new Date(epoch + Math.floor(id / 4096));

/** Returns an id derived from a time and a seed. The same input always gives the same id. */
export const seededId = (at: Date, seed: string): number => idAt(at, sha256(seed).readUInt16BE() % 4096);

/** The lowest id of a time. */
export const firstIdAt = (at: Date): number => idAt(at, 0);

const idAt = (at: Date, bits: number): number => Math.max(0, at.getTime() - epoch) * 4096 + bits;

/**
 * An id for a record that was created elsewhere in the past. Random within the minute after that time, but not in the future,
 * because many records may have the same time, such as midnight. Times before 2025 share the first weeks of that year, in
 * which Odis created no records: five ids per millisecond since 1970.
 */
export function pastId(at: Date, random: Random, now: Date): number {
  const span = Math.min(60_000, Math.max(1, now.getTime() - at.getTime()));
  const time = Math.max(0, at.getTime()) + Math.floor(random() * span);
  return Math.max(1 + time * 5 + Math.floor(random() * 5), newId(new Date(time), random));
}

/** A random UUID, version 4 (RFC 9562, section 5.4). */
export function newUuid(random: Random): string {
  const hex = Array.from({ length: 4 }, () =>
    Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, "0"),
  ).join("");
  const variant = "89ab".charAt(Number.parseInt(hex.charAt(16), 16) % 4);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/**
 * The operation id of a request, also used at Stripe. Requests with the same `Idempotency-Key`, caller and route have the same
 * id. Every request without a key has its own.
 */
export function operationId(
  {
    sub,
    routeKey,
    idempotencyKey,
  }: Readonly<Record<"sub" | "routeKey", string>> & { readonly idempotencyKey?: string | undefined },
  random: Random,
): string {
  if (idempotencyKey === undefined) return `op_${newUuid(random)}`;
  return `op_${sha256(JSON.stringify([sub, routeKey, idempotencyKey])).toString("base64url")}`;
}

const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest();
