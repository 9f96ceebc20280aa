import type { JsonSchema } from "@valibot/to-json-schema";
import { countries } from "#lib/domain/country.ts";
import { limits, readOnly } from "#lib/domain/metadata.ts";
import { utcTimestamp } from "#lib/domain/scalars.ts";

type Action = { readonly type: string; readonly message?: unknown; readonly requirement?: unknown };

/**
 * What JSON Schema can say of a schema's action where the conversion cannot: a `v.check` is code, and is known by its
 * message. Undefined where the conversion knows.
 */
export function constrained({ type, message, requirement }: Action, jsonSchema: JsonSchema): JsonSchema | undefined {
  if (requirement === utcTimestamp) return { ...jsonSchema, format: "date-time" };
  if (type === "safe_integer") return { ...jsonSchema, format: "int64" };
  // Blanks alone are nothing once they are trimmed.
  if (type === "trim") return { ...jsonSchema, pattern: "\\S" };
  if (type !== "check" || typeof message !== "string") return undefined;

  const [, most, from, to] = /^must have (?:at most (\d+)|(\d+) to (\d+)) characters$/.exec(message) ?? [];
  if (most !== undefined) return { ...jsonSchema, pattern: undefined, maxLength: Number(most) };
  if (to !== undefined) return { ...jsonSchema, minLength: Number(from), maxLength: Number(to) };
  switch (message) {
    case "must be an ISO 3166-1 alpha-2 code":
      return { ...jsonSchema, enum: [...countries] };
    case "must be whole cents":
      return { ...jsonSchema, multipleOf: 0.01 };
    case "must be 0 or at least 0.5":
      return { ...jsonSchema, not: { exclusiveMinimum: 0, exclusiveMaximum: 0.5 } };
    default:
      return undefined;
  }
}

/** What handlers check besides the schema of a property. */
const refinements: Readonly<Record<string, JsonSchema>> = {
  "MemberUpdate.member.metadata": {
    // The custom ones, and the notes.
    maxProperties: limits.keys + 1,
    propertyNames: { minLength: 1, maxLength: limits.keyCharacters, not: { enum: [...readOnly] } },
    properties: { notes: { type: ["string", "null"], maxLength: limits.notes } },
  },
};

export const refined = (name: string, path: string): JsonSchema => refinements[`${name}.${path}`] ?? {};
