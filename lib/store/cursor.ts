import { createHmac, timingSafeEqual } from "node:crypto";
import { env } from "../env.ts";
import { Problem } from "../problem.ts";

/** What a cursor belongs to: the list, its parent and its filters. In another scope it is not valid. */
export type Scope = readonly unknown[];

/**
 * Signs a position in a list, so that a caller can hand it back but not make one up. A cursor grants nothing:
 * access to the list is checked anyway.
 */
export function encodeCursor(scope: Scope, position: string): string {
  const payload = Buffer.from(position).toString("base64url");
  return `${payload}.${signature(scope, payload)}`;
}

/** @throws Problem `invalid_cursor` when it was altered, or made for another list, parent or filter */
export function decodeCursor(scope: Scope, cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const [payload = "", given = ""] = cursor.split(".", 2);
  const expected = Buffer.from(signature(scope, payload));
  const actual = Buffer.from(given);
  const isOurs = actual.length === expected.length && timingSafeEqual(actual, expected);
  if (!isOurs || cursor !== `${payload}.${given}`)
    throw new Problem("invalid_cursor", {
      errors: [{ parameter: "cursor", code: "invalid_format", message: "must be the next_cursor of this list" }],
    });
  return Buffer.from(payload, "base64url").toString();
}

/** Signs the payload as it is written, so that not even its unused base64 bits can change. */
function signature(scope: Scope, payload: string): string {
  const text = JSON.stringify([scope, payload]);
  return createHmac("sha256", env("CURSOR_KEY")).update(text).digest("base64url").slice(0, 22);
}
