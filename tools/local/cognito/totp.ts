import { createHmac } from "node:crypto";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const stepMs = 30_000;

/** Number of 30-second steps since 1970. */
const stepAt = (now: number): number => Math.floor(now / stepMs);

/** Encodes bytes in base32 (RFC 4648) without padding. */
export function base32(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, "0"), 2)]).join("");
}

function bytesOf(secret: string): Buffer {
  const bits = Array.from(secret, (letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((eight) => Number.parseInt(eight, 2)));
}

/**
 * Returns the six-digit code of an authenticator app (RFC 6238).
 *
 * @param secret base32
 * @param now milliseconds since 1970
 */
export const totp = (secret: string, now: number): string => codeOf(secret, stepAt(now));

/**
 * Returns the step of a code: the current step, or the one before or after it, because clocks differ. Undefined for
 * other codes.
 */
export const stepOf = (secret: string, code: string, now: number): number | undefined =>
  [-1, 0, 1].map((offset) => stepAt(now) + offset).find((step) => codeOf(secret, step) === code);

function codeOf(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", bytesOf(secret)).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0x0f;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}
