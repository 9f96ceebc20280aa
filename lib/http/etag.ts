import { createHash } from "node:crypto";
import { Problem } from "../problem.ts";

/** The strong entity tag of a representation: it changes exactly when what is shown changes (RFC 9110, section 8.8.3). */
export const etagOf = (representation: string): string =>
  `"${createHash("sha256").update(representation).digest("base64url").slice(0, 22)}"`;

/**
 * Honours If-Match with strong comparison (RFC 9110, section 13.1.1).
 *
 * @throws Problem `stale_record`
 */
export function assertMatches(ifMatch: string | undefined, etag: string): void {
  if (ifMatch !== undefined && !tagsOf(ifMatch).some((tag) => tag === "*" || tag === etag))
    throw new Problem("stale_record");
}

/** Whether the caller has this representation already: If-None-Match, compared weakly (section 13.1.2). */
export const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined && tagsOf(ifNoneMatch).some((tag) => tag === "*" || tag.replace(/^W\//, "") === etag);

const tagsOf = (header: string): string[] => header.split(",").map((tag) => tag.trim());
