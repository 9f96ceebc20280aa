import * as v from "valibot";
import { type Issue, type IssueCode, validationFailed } from "../problem.ts";
import { characters } from "./scalars.ts";
import { isPlain } from "./shown-text.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** The writable metadata of a member: `notes` and custom keys. */
export type Metadata = { readonly notes: string; readonly custom: JsonObject };

/** The keys that Odis maintains. */
export const readOnlyKeys = [
  "lifetime_spend_cents",
  "blocked",
  "blocked_at",
  "blocked_by",
  "block_reason",
  "refunds",
] as const;
const readOnly: ReadonlySet<string> = new Set(readOnlyKeys);

/** The limits of custom metadata. */
export const metadataLimits = { keys: 50, keyCharacters: 40, bytes: 16 * 1024, depth: 5, notes: 5000 };

/** Any JSON object. The object schemas of valibot drop the keys `__proto__`, `constructor` and `prototype`. */
export const AnyObject = v.custom<Readonly<Record<string, unknown>>>(
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
);

/** A merge patch in a body. The API reference describes the checks of `patchMetadata`. */
export const MetadataPatch = v.pipe(AnyObject);

/**
 * Metadata after a JSON merge patch (RFC 7396), within the limits of `docs/api.md`, section 3. Throws `validation_failed` with
 * each invalid field. `place` is the pointer to the patch in the body.
 */
export function patchMetadata(
  { notes, custom }: Metadata,
  patch: Readonly<Record<string, unknown>>,
  place = "/member/metadata",
): Metadata {
  const { notes: newNotes, ...changes } = patch;
  const errors: Issue[] = [];
  const refuse = (path: readonly string[], code: IssueCode, message: string) =>
    errors.push({ pointer: [place, ...path.map(escapePointer)].join("/"), code, message });

  if (newNotes !== undefined && newNotes !== null) {
    if (typeof newNotes !== "string") refuse(["notes"], "wrong_type", "must be a string");
    else if (!newNotes.isWellFormed()) refuse(["notes"], "invalid_format", "must be well-formed Unicode");
    else if (!isPlain(newNotes, { isLong: true }))
      refuse(
        ["notes"],
        "invalid_format",
        "must have no control characters but line breaks, and no direction overrides",
      );
    else if (characters(newNotes) > metadataLimits.notes)
      refuse(["notes"], "too_long", `must have at most ${metadataLimits.notes} characters`);
  }
  for (const [key, value] of Object.entries(changes)) {
    if (readOnly.has(key)) refuse([key], "read_only", "is read-only");
    else if (characters(key) > metadataLimits.keyCharacters)
      refuse([key], "too_long", `must be a key of at most ${metadataLimits.keyCharacters} characters`);
    else if (isDeeperThan(metadataLimits.depth, value))
      refuse([key], "too_deep", `must have at most ${metadataLimits.depth} levels`);
    else if (!isWellFormed({ [key]: value })) refuse([key], "invalid_format", "must be well-formed Unicode");
    else {
      const numbers = numbersIn(value).map(Math.abs);
      if (numbers.some((number) => number > Number.MAX_SAFE_INTEGER))
        refuse([key], "too_large", "must hold numbers of at most 2^53 - 1");
      if (numbers.some((number) => number > 0 && number < 1e-130))
        refuse([key], "too_small", "must hold numbers of at least 1e-130");
      for (const path of forbiddenKeys({ [key]: value })) refuse(path, "not_allowed", "is not allowed as a key");
    }
  }
  if (errors.length > 0) throw validationFailed(errors);

  const merged = mergePatch(custom, changes as JsonObject) as JsonObject;
  if (Object.keys(merged).length > metadataLimits.keys)
    refuse([], "too_many", `must have at most ${metadataLimits.keys} custom keys`);
  if (new TextEncoder().encode(JSON.stringify(merged)).length > metadataLimits.bytes)
    refuse([], "too_large", `must have custom keys of at most ${metadataLimits.bytes} bytes`);
  if (errors.length > 0) throw validationFailed(errors);

  return { notes: newNotes === undefined ? notes : ((newNotes ?? "") as string), custom: merged };
}

/** Applies a JSON merge patch (RFC 7396, section 2). */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) merged.delete(key);
    else merged.set(key, mergePatch(merged.get(key), value));
  }
  return Object.fromEntries(merged);
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a value is nested too deeply. Stops at the limit, so that a body of thousands of brackets is cheap. */
function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWellFormed(inner));
}

/** All numbers in a value. The table cannot store numbers below 1e-130, and numbers above 2^53 - 1 lose digits. */
function numbersIn(value: unknown): number[] {
  if (typeof value === "number") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

/** Keys that DynamoDB or JavaScript cannot store unchanged. */
const forbidden: ReadonlySet<string> = new Set(["", "__proto__", "constructor", "prototype"]);

/** The paths of forbidden keys at any depth. */
function forbiddenKeys(value: unknown): string[][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    !Array.isArray(value) && forbidden.has(key) ? [[key]] : forbiddenKeys(inner).map((path) => [key, ...path]),
  );
}

const escapePointer = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");
