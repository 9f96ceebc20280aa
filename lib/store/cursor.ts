import { createHmac, timingSafeEqual } from "node:crypto";
import { env } from "../env.ts";
import { Problem } from "../problem.ts";

/** The list that a cursor belongs to, with its parent and filters. A cursor is valid only in its scope. */
export type Scope = readonly unknown[];

/**
 * Signs a position in a list, so that callers cannot forge cursors. A cursor grants no access: the request for a page is
 * authorized as usual.
 */
export function encodeCursor(scope: Scope, position: string): string {
  const payload = Buffer.from(position).toString("base64url");
  return `${payload}.${signature(scope, payload)}`;
}

/** @throws Problem `invalid_cursor` if the cursor was altered, or made for another list, parent or filter */
export function decodeCursor(scope: Scope, cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const [payload = "", sentSignature = ""] = cursor.split(".", 2);
  const expected = Buffer.from(signature(scope, payload));
  const actual = Buffer.from(sentSignature);
  const isOurs = actual.length === expected.length && timingSafeEqual(actual, expected);
  if (!isOurs || cursor !== `${payload}.${sentSignature}`)
    throw new Problem("invalid_cursor", {
      errors: [{ parameter: "cursor", code: "invalid_format", message: "must be the next_cursor of this list" }],
    });
  return Buffer.from(payload, "base64url").toString();
}

/** Signs the base64 text rather than the bytes, so that even the unused bits of the text cannot change. */
function signature(scope: Scope, payload: string): string {
  const text = JSON.stringify([scope, payload]);
  return createHmac("sha256", env("CURSOR_KEY")).update(text).digest("base64url").slice(0, 22);
}
