import { globSync } from "node:fs";
import { join } from "node:path";
import { type ConversionConfig, type JsonSchema, toJsonSchema, toJsonSchemaDefs } from "@valibot/to-json-schema";
import * as v from "valibot";
import { described, exampleOf } from "./docs.ts";

const ref = (name: string) => `#/components/schemas/${name}`;

const config = {
  target: "draft-2020-12",
  // A `v.check` is code, which cannot be converted. The `v.metadata` beside it describes the condition.
  errorMode: "ignore",
  overrideSchema({ valibotSchema: { type }, jsonSchema }) {
    if (type === "loose_object") return { ...jsonSchema, additionalProperties: true };
    // The schema `AnyObject`.
    return type === "custom" ? { ...jsonSchema, type: "object" } : undefined;
  },
  overrideRef: ({ referenceId }) => ref(referenceId),
} as const satisfies ConversionConfig;

/** The schemas of the API by the names of their exports: `Member`, `MemberPage`, `MemberUpdate`. */
const named = {
  ...(await namedIn(join(import.meta.dirname, "../../../lib/values"))),
  ...(await namedIn(join(import.meta.dirname, "../../../lib/fields"))),
  ...(await namedIn(join(import.meta.dirname, "../../../lib/domain"))),
  ...(await namedIn(join(import.meta.dirname, "../../../lib/contract"))),
};

const definitions = {
  output: toJsonSchemaDefs(named, { ...config, typeMode: "output" }),
  input: toJsonSchemaDefs(named, { ...config, typeMode: "input" }),
};

/** The name of a schema of a body or a response. */
function nameOf(schema: v.GenericSchema): string {
  const [name] = Object.entries(named).find(([, value]) => value === schema) ?? [];
  if (name === undefined)
    throw new Error(
      "A body or an answer has a schema that no file of lib/values, lib/fields, lib/domain or lib/contract exports",
    );
  return name;
}

export const reference = (schema: v.GenericSchema) => ({ $ref: ref(nameOf(schema)) });

/** Returns schemas and the schemas that they refer to as components, for responses or for bodies. */
export function components(
  schemas: readonly v.GenericSchema[],
  mode: keyof typeof definitions,
): Record<string, JsonSchema> {
  const byName: Record<string, JsonSchema> = {};
  const add = (name: string): void => {
    const definition = definitions[mode][name];
    const schema = named[name];
    if (name in byName || !definition || !schema) return;
    const shown = described(schema, definition, name);
    byName[name] = {
      ...(mode === "input" ? withoutDefaults(shown) : shown),
      examples: [exampleOf(schema, name) as never],
    };
    for (const [, inner = ""] of JSON.stringify(definition).matchAll(/#\/components\/schemas\/(\w+)/g)) add(inner);
  };
  for (const schema of schemas) add(nameOf(schema));
  return byName;
}

/** Moves the defaults of fields into the description. Generators treat a field with a default as required. */
function withoutDefaults({ default: standard, ...schema }: JsonSchema): JsonSchema {
  const { properties, items, anyOf, description } = schema;
  const inner = (part: unknown) => withoutDefaults(part as JsonSchema);
  return {
    ...schema,
    ...(standard !== undefined &&
      description !== undefined && { description: `${description} Default: \`${JSON.stringify(standard)}\`.` }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, inner(property)])),
    }),
    ...(items && { items: inner(items) }),
    ...(anyOf && { anyOf: anyOf.map(inner) }),
  };
}

/** The parameters of a query with their schemas, and whether they are required. */
export function queryParameters(query: v.GenericSchema) {
  const name = nameOf(query);
  const { properties = {}, required = [] } = described(
    query,
    toJsonSchema(query, { ...config, typeMode: "input" }),
    name,
  );
  return Object.entries(properties).map(([parameter, property]) => {
    const { description, ...schema } = property as JsonSchema;
    return {
      name: parameter,
      in: "query",
      required: required.includes(parameter),
      description,
      schema: meant(schema, (text) => parsed(query, parameter, text)),
    };
  });
}

/**
 * The schema of a query parameter's value. All values are text. Parsing an example shows whether the value is a number
 * or a boolean.
 */
function meant({ default: standard, ...schema }: JsonSchema, become: (text: string) => unknown): object {
  const withDefault = (value: unknown) => standard !== undefined && { default: value };
  if (typeof become("1") === "number") {
    const minimum = become("0") === undefined ? 1 : 0;
    const maximum = Number.MAX_SAFE_INTEGER;
    return { type: "integer", format: "int64", minimum, maximum, ...withDefault(Number(standard)) };
  }
  if (typeof become("true") === "boolean") return { type: "boolean", ...withDefault(standard === "true") };
  // An empty value counts as absent.
  return { ...schema, minLength: undefined, ...withDefault(standard) };
}

function parsed(query: v.GenericSchema, name: string, text: string): unknown {
  const { entries = {} } = query as { readonly entries?: Readonly<Record<string, v.GenericSchema>> };
  const found = entries[name] && v.safeParse(entries[name], text);
  return found?.success ? found.output : undefined;
}

async function namedIn(folder: string): Promise<Record<string, v.GenericSchema>> {
  const namedSchemas: Record<string, v.GenericSchema> = {};
  for (const file of globSync("*.ts", { cwd: folder }).toSorted()) {
    const module: unknown = await import(join(folder, file));
    for (const [name, value] of Object.entries(module as object)) if (isNamed(value)) namedSchemas[name] = value;
  }
  return namedSchemas;
}

function isNamed(value: unknown): value is v.GenericSchema {
  return (
    typeof value === "object" && value !== null && "kind" in value && value.kind === "schema" && "entries" in value
  );
}
