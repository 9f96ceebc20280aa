import * as v from "valibot";
import { type Issue, Problem } from "../problem.ts";
import { characters } from "./scalars.ts";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** What a person may write of a member's metadata: `notes` and custom keys of their own. */
export type Metadata = { readonly notes: string; readonly custom: JsonObject };

const readOnly: ReadonlySet<string> = new Set([
  "lifetime_spend_cents",
  "blocked",
  "blocked_at",
  "blocked_by",
  "block_reason",
  "refunds",
]);

const limits = { keys: 50, keyCharacters: 40, bytes: 16 * 1024, depth: 5, notes: 5000 };

/** A merge patch as a body holds it; what it may say is checked by `patchMetadata`, and told to the documents here. */
export const MetadataPatch = v.pipe(
  v.record(v.string(), v.unknown()),
  v.metadata({
    // The custom ones, and the notes.
    maxProperties: limits.keys + 1,
    propertyNames: { minLength: 1, maxLength: limits.keyCharacters, not: { enum: [...readOnly] } },
    properties: {
      notes: {
        type: ["string", "null"],
        maxLength: limits.notes,
        description: "Notes for those who manage the community. `null` empties them.",
      },
    },
  }),
);

/**
 * Metadata after a JSON merge patch (RFC 7396), within the limits of `docs/api.md`, section 3.
 * Throws `validation_failed`, naming each field that does not fit; `place` is where the patch stands in the body.
 */
export function patchMetadata(
  { notes, custom }: Metadata,
  patch: Readonly<Record<string, unknown>>,
  place = "/member/metadata",
): Metadata {
  const { notes: newNotes, ...changes } = patch;
  const errors: Issue[] = [];
  const refuse = (key: string, code: string, message: string) =>
    errors.push({ pointer: `${place}${key && `/${escapePointer(key)}`}`, code, message });

  if (newNotes !== undefined && newNotes !== null) {
    if (typeof newNotes !== "string") refuse("notes", "string", "must be a string");
    else if (!newNotes.isWellFormed()) refuse("notes", "unicode", "must be well-formed Unicode");
    else if (characters(newNotes) > limits.notes)
      refuse("notes", "max_length", `must have at most ${limits.notes} characters`);
  }
  for (const [key, value] of Object.entries(changes)) {
    if (readOnly.has(key)) refuse(key, "read_only", "is read-only");
    else if (characters(key) > limits.keyCharacters || key === "")
      refuse(key, "key_length", `keys must have 1 to ${limits.keyCharacters} characters`);
    else if (isDeeperThan(limits.depth, value)) refuse(key, "max_depth", `must be at most ${limits.depth} levels deep`);
    else if (!isWellFormed({ [key]: value })) refuse(key, "unicode", "must be well-formed Unicode");
    else if (!isStorable(value))
      refuse(key, "number_range", "must hold numbers of at most 2^53 - 1 and no less than 1e-130");
  }
  if (errors.length > 0) throw invalid(errors);

  const merged = mergePatch(custom, changes as JsonObject) as JsonObject;
  if (Object.keys(merged).length > limits.keys) refuse("", "max_keys", `must have at most ${limits.keys} custom keys`);
  if (Buffer.byteLength(JSON.stringify(merged)) > limits.bytes)
    refuse("", "max_bytes", `custom keys must take at most ${limits.bytes} bytes`);
  if (errors.length > 0) throw invalid(errors);

  return { notes: newNotes === undefined ? notes : ((newNotes ?? "") as string), custom: merged };
}

/** RFC 7396, section 2. */
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

/** Looks no deeper than the limit, so that a body of thousands of brackets costs nothing. */
function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWellFormed(inner));
}

/** Whether the table can hold its numbers: 1e-130 and more, and none that has lost digits. */
function isStorable(value: unknown): boolean {
  if (typeof value === "number")
    return value === 0 || (Math.abs(value) >= 1e-130 && Math.abs(value) <= Number.MAX_SAFE_INTEGER);
  return typeof value !== "object" || value === null || Object.values(value).every(isStorable);
}

const escapePointer = (key: string): string => key.replaceAll("~", "~0").replaceAll("/", "~1");

const invalid = (errors: Issue[]) =>
  new Problem("validation_failed", { detail: `metadata ${errors[0]?.message}`, errors });
