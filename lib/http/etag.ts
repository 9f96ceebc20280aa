import { hash } from "node:crypto";
import { canonicalJson } from "../canonical-json.ts";
import { Problem } from "../problem.ts";

/**
 * Fields that change without an edit of the record: counts, joined data, the sequence of the last event, and results of
 * deliveries, and uses of an API key. Also the secret of a destination and an API key itself, which only one response contains.
 */
const notCovered = new Set([
  "member_count",
  "trending",
  "benefits",
  "sequence",
  "last_success_at",
  "failing_since",
  "secret",
  "key",
  "last_used_at",
]);

/**
 * The strong entity tag of a record in the API (RFC 9110, section 8.8.3), without the fields in `notCovered` (`docs/api.md`,
 * section 1, "Concurrency"). A hash instead of the version, because renaming a tier changes the responses for its members
 * but not their versions. Based on canonical JSON, because DynamoDB does not keep the order of a map.
 */
export function etagOf(record: object): string {
  const covered = Object.fromEntries(Object.entries(record).filter(([name]) => !notCovered.has(name)));
  return `"${hash("sha256", canonicalJson(covered), "base64url").slice(0, 22)}"`;
}

/**
 * Evaluates If-Match with strong comparison (RFC 9110, section 13.1.1).
 *
 * @throws Problem `stale_record`
 */
export function assertMatches(ifMatch: string | undefined, etag: string): void {
  if (ifMatch !== undefined && !tagsOf(ifMatch).some((tag) => tag === "*" || tag === etag))
    throw new Problem("stale_record");
}

/** Whether If-None-Match contains the entity tag, with weak comparison (RFC 9110, section 13.1.2). */
export const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined && tagsOf(ifNoneMatch).some((tag) => tag === "*" || tag.replace(/^W\//, "") === etag);

const tagsOf = (header: string): string[] => header.split(",").map((tag) => tag.trim());
