import { createHmac, timingSafeEqual } from "node:crypto";
import { env } from "./env.ts";

/** What a signed text is valid for, such as a list with its parent and filters. It is valid only in its scope. */
export type Scope = readonly unknown[];

/** Signs a text for callers, who can neither change it nor make one. It is not encrypted. */
export function sign(scope: Scope, text: string): string {
  const payload = Buffer.from(text).toString("base64url");
  return `${payload}.${signature(scope, payload)}`;
}

/** The text that `sign` has signed in this scope. Undefined if the signed text was altered, or made for another scope. */
export function openSigned(scope: Scope, signed: string): string | undefined {
  const [payload = "", sentSignature = ""] = signed.split(".", 2);
  const expected = Buffer.from(signature(scope, payload));
  const actual = Buffer.from(sentSignature);
  const isOurs = actual.length === expected.length && timingSafeEqual(actual, expected);
  return isOurs && signed === `${payload}.${sentSignature}` ? Buffer.from(payload, "base64url").toString() : undefined;
}

/** Signs the base64 text rather than the bytes, so that even the unused bits of the text cannot change. */
function signature(scope: Scope, payload: string): string {
  const text = JSON.stringify([scope, payload]);
  return createHmac("sha256", env("CURSOR_KEY")).update(text).digest("base64url").slice(0, 22);
}
