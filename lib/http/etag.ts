import { hash } from "node:crypto";
import { canonicalJson } from "../canonical-json.ts";
import { Problem } from "../problem.ts";

/**
 * Fields that are counted or joined, the number of the last event, and what attempts of deliveries note: they change
 * although the record does not. And a secret, which is shown only once.
 */
const notCovered = new Set([
  "member_count",
  "trending",
  "benefits",
  "sequence",
  "last_success_at",
  "failing_since",
  "secret",
]);

/**
 * The strong entity tag of a record as it is shown (RFC 9110, section 8.8.3), without what is not covered (`docs/api.md`,
 * section 1, "Concurrency"). It is a hash and not the version, because renaming a tier changes how its members are shown, but
 * not their versions. It is computed from canonical JSON, as DynamoDB returns the members of a map in any order.
 */
export function etagOf(record: object): string {
  const covered = Object.fromEntries(Object.entries(record).filter(([name]) => !notCovered.has(name)));
  return `"${hash("sha256", canonicalJson(covered), "base64url").slice(0, 22)}"`;
}

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
