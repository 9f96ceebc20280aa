import { hash } from "node:crypto";
import { canonicalJson } from "../canonical-json.ts";
import { Problem } from "../problem.ts";

/** Fields that change without an edit of the record: counts, joined data, results of deliveries and uses of an API key. */
const unedited = new Set(
  "member_count trending benefits tiers community last_success_at failing_since last_used_at".split(" "),
);

/** The sequence of the last event, and what only one response contains: the secret of a destination and an API key itself. */
const notCovered = new Set(["sequence", "secret", "key"]);

/**
 * The strong entity tag of a record in the API (RFC 9110, section 8.8.3), without the fields in `notCovered` (`docs/api.md`,
 * section 1, "Concurrency"). The fields in `unedited` have a part of their own, after a dot: caches compare the whole tag, and
 * If-Match only what is before the dot. A hash instead of the version, because renaming a tier changes the responses for its
 * members but not their versions. Based on canonical JSON, because DynamoDB does not keep the order of a map.
 */
export function etagOf(record: object): string {
  const fields = Object.entries(record).filter(([name]) => !notCovered.has(name));
  const { edited = [], others } = Object.groupBy(fields, ([name]) => (unedited.has(name) ? "others" : "edited"));
  return `"${digest(edited.map(inOwnOrder))}${others ? `.${digest(others)}` : ""}"`;
}

const digest = (fields: readonly [string, unknown][]): string =>
  hash("sha256", canonicalJson(Object.fromEntries(fields)), "base64url").slice(0, 22);

/** The ids of a benefit's tiers are shown in the order of the tiers, which an edit of a tier changes. */
const inOwnOrder = ([name, value]: [string, unknown]): [string, unknown] =>
  name === "tier_ids" && Array.isArray(value) ? [name, value.toSorted((a, b) => Number(a) - Number(b))] : [name, value];

/** A tag without the part that edits do not change. */
const ofEdits = (tag: string): string => tag.replace(/\.[^."]*"$/, '"');

/**
 * Evaluates If-Match with strong comparison (RFC 9110, section 13.1.1).
 *
 * @param etags the tags of the forms in which the record is shown
 * @throws Problem `stale_record`
 */
export function assertMatches(ifMatch: string | undefined, ...etags: readonly string[]): void {
  const current = etags.map(ofEdits);
  if (ifMatch !== undefined && !tagsOf(ifMatch).some((tag) => tag === "*" || current.includes(ofEdits(tag))))
    throw new Problem("stale_record");
}

/** Whether If-None-Match contains the entity tag, with weak comparison (RFC 9110, section 13.1.2). */
export const isKnown = (ifNoneMatch: string | undefined, etag: string): boolean =>
  ifNoneMatch !== undefined && tagsOf(ifNoneMatch).some((tag) => tag === "*" || tag.replace(/^W\//, "") === etag);

/** The same for a write: whether If-None-Match contains a tag of the same edit. */
export const isSameEdit = (ifNoneMatch: string | undefined, etag: string): boolean =>
  isKnown(ifNoneMatch && tagsOf(ifNoneMatch).map(ofEdits).join(), ofEdits(etag));

const tagsOf = (header: string): string[] => header.split(",").map((tag) => tag.trim());
