import { type Issue, Problem } from "../problem.ts";
import { openSigned, type Scope, sign } from "../signed-text.ts";

export type { Scope };

/**
 * Signs a position in a list, so that callers cannot forge cursors. A cursor grants no access: the request for a page is
 * authorized as usual.
 */
export const encodeCursor = (scope: Scope, position: string): string => sign(scope, position);

/** @throws Problem `invalid_cursor` if the cursor was altered, or made for another list, parent or filter */
export function decodeCursor(scope: Scope, cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const position = openSigned(scope, cursor);
  if (position === undefined)
    throw invalidCursor({
      parameter: "cursor",
      code: "invalid_format",
      message: "must be the next_cursor of this list",
    });
  return position;
}

/** The problem of a position in a list that does not exist, or no longer. */
export const invalidCursor = (error: Issue, detail?: string): Problem =>
  new Problem("invalid_cursor", { ...(detail !== undefined && { detail }), errors: [error] });
