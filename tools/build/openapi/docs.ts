import type { JsonSchema } from "@valibot/to-json-schema";
import { docsOf, jsonSchemaOf } from "#lib/contract/descriptions.ts";
import type { Example } from "#lib/values/documented.ts";

/** The part of a valibot schema that is used here. */
type Schema = {
  readonly type: string;
  readonly entries?: Readonly<Record<string, Schema>>;
  readonly wrapped?: Schema;
  readonly item?: Schema;
  readonly options?: readonly (Schema | string)[];
  readonly literal?: Example;
};

/** @throws Error for a field without documentation */
function docOf(schema: Schema, at: string, name: string): readonly [string, Example?] {
  const doc = docsOf(schema)[name];
  if (doc === undefined) throw new Error(`${at}.${name} is not described: see lib/values/documented.ts`);
  return typeof doc === "string" ? [doc] : doc;
}

/** Adds the documentation of all properties to a JSON Schema. `at` is the location in errors. */
export function described(schema: Schema, json: JsonSchema, at: string): JsonSchema {
  if (json.$ref !== undefined) return json;
  const known = jsonSchemaOf(schema);
  if (known) return { ...json, ...known };
  const { wrapped, item, entries, options = [] } = schema;
  const [first, ...others] = json.anyOf ?? [];
  if (wrapped && first) return { ...json, anyOf: [described(wrapped, first as JsonSchema, at), ...others] };
  if (wrapped) return described(wrapped, json, at);
  if (item) return { ...json, items: described(item, json.items as JsonSchema, at) };
  if (json.anyOf)
    return { ...json, anyOf: json.anyOf.map((one, n) => described(options[n] as Schema, one as JsonSchema, at)) };
  if (!entries || !json.properties) return json;
  const properties = Object.entries(entries).map(([name, entry]) => {
    const [description] = docOf(schema, at, name);
    return [name, { ...described(entry, json.properties?.[name] as JsonSchema, `${at}.${name}`), description }];
  });
  return { ...json, properties: Object.fromEntries(properties) as JsonSchema["properties"] & object };
}

/** Builds an example of a schema from the examples of its fields. */
export function exampleOf(schema: Schema, at: string): Example {
  const { type, wrapped, item, entries, options = [], literal } = schema;
  if (type === "nullable" && wrapped && !hasParts(wrapped)) return null;
  if (wrapped) return exampleOf(wrapped, at);
  if (item) return [exampleOf(item, at)];
  if (entries) return exampleOfObject(schema, entries, at);
  const first = options.find((option) => typeof option === "object" && option.entries) ?? options[0];
  if (first !== undefined) return typeof first === "string" ? first : exampleOf(first, at);
  if (literal !== undefined) return literal;
  if (type === "boolean") return false;
  if (type === "record" || type === "custom") return {};
  throw new Error(`${at} has no example: see lib/values/documented.ts`);
}

function exampleOfObject(schema: Schema, entries: Schema["entries"] & object, at: string): Example {
  const fields = Object.entries(entries).flatMap(([name, entry]) => {
    const [, example] = docOf(schema, at, name);
    if (example !== undefined) return [[name, example]];
    // Examples of responses omit optional fields.
    if (entry.type === "optional" && schema.type !== "strict_object") return [];
    return [[name, exampleOf(entry, `${at}.${name}`)]];
  });
  return Object.fromEntries(fields) as Example;
}

const hasParts = ({ entries, item, wrapped }: Schema): boolean =>
  entries !== undefined || item !== undefined || (wrapped !== undefined && hasParts(wrapped));
