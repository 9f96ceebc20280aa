import { globSync } from "node:fs";
import { join } from "node:path";
import { type ConversionConfig, type JsonSchema, toJsonSchema, toJsonSchemaDefs } from "@valibot/to-json-schema";
import * as v from "valibot";
import { described, exampleOf } from "./docs.ts";

const ref = (name: string) => `#/components/schemas/${name}`;

const config = {
  target: "draft-2020-12",
  // A `v.check` is code; what it checks is said beside it, by `v.metadata`.
  errorMode: "ignore",
  overrideSchema({ valibotSchema: { type }, jsonSchema }) {
    if (type === "loose_object") return { ...jsonSchema, additionalProperties: true };
    // Any object: `AnyObject`.
    return type === "custom" ? { ...jsonSchema, type: "object" } : undefined;
  },
  overrideRef: ({ referenceId }) => ref(referenceId),
} as const satisfies ConversionConfig;

/** The schemas of the API by the name that they are exported with: `Member`, `MemberPage`, `MemberUpdate`. */
const named = {
  ...(await namedIn(join(import.meta.dirname, "../../../lib/values"))),
  ...(await namedIn(join(import.meta.dirname, "../../../lib/domain"))),
  ...(await namedIn(join(import.meta.dirname, "../../../lib/contract"))),
};

const definitions = {
  output: toJsonSchemaDefs(named, { ...config, typeMode: "output" }),
  input: toJsonSchemaDefs(named, { ...config, typeMode: "input" }),
};

/** The name of a schema that is given in a body or an answer. */
function nameOf(schema: v.GenericSchema): string {
  const [name] = Object.entries(named).find(([, value]) => value === schema) ?? [];
  if (name === undefined)
    throw new Error("A body or an answer has a schema that neither lib/values nor lib/domain exports");
  return name;
}

export const reference = (schema: v.GenericSchema) => ({ $ref: ref(nameOf(schema)) });

/** These schemas and those that they refer to, as components: what answers look like, or what bodies must. */
export function components(
  schemas: readonly v.GenericSchema[],
  mode: keyof typeof definitions,
): Record<string, JsonSchema> {
  const found: Record<string, JsonSchema> = {};
  const add = (name: string): void => {
    const definition = definitions[mode][name];
    const schema = named[name];
    if (name in found || !definition || !schema) return;
    const shown = described(schema, definition, name);
    found[name] = {
      ...(mode === "input" ? withoutDefaults(shown) : shown),
      examples: [exampleOf(schema, name) as never],
    };
    for (const [, inner = ""] of JSON.stringify(definition).matchAll(/#\/components\/schemas\/(\w+)/g)) add(inner);
  };
  for (const schema of schemas) add(nameOf(schema));
  return found;
}

/**
 * The same with the defaults of its fields in words: generators take a field with a default for one that is always there,
 * and require it of callers.
 */
function withoutDefaults({ default: standard, ...schema }: JsonSchema): JsonSchema {
  const { properties, items, anyOf, description } = schema;
  const inner = (one: unknown) => withoutDefaults(one as JsonSchema);
  return {
    ...schema,
    ...(standard !== undefined &&
      description !== undefined && { description: `${description} Default: \`${JSON.stringify(standard)}\`.` }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, inner(one)])),
    }),
    ...(items && { items: inner(items) }),
    ...(anyOf && { anyOf: anyOf.map(inner) }),
  };
}

/** The parameters of a query: what each must look like, and whether it must be there. */
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

/** In a query everything is text. Whether it stands for a number or a boolean is seen by what becomes of one. */
function meant({ default: standard, ...schema }: JsonSchema, become: (text: string) => unknown): object {
  const given = (value: unknown) => standard !== undefined && { default: value };
  if (typeof become("1") === "number") {
    const minimum = become("0") === undefined ? 1 : 0;
    const maximum = Number.MAX_SAFE_INTEGER;
    return { type: "integer", format: "int64", minimum, maximum, ...given(Number(standard)) };
  }
  if (typeof become("true") === "boolean") return { type: "boolean", ...given(standard === "true") };
  // An empty one counts as absent.
  return { ...schema, minLength: undefined, ...given(standard) };
}

function parsed(query: v.GenericSchema, name: string, text: string): unknown {
  const { success, output } = v.safeParse(query, { [name]: text });
  return success && typeof output === "object" && output !== null
    ? Object.entries(output).find(([key]) => key === name)?.[1]
    : undefined;
}

async function namedIn(folder: string): Promise<Record<string, v.GenericSchema>> {
  const found: Record<string, v.GenericSchema> = {};
  for (const file of globSync("*.ts", { cwd: folder }).toSorted()) {
    const module: unknown = await import(join(folder, file));
    for (const [name, value] of Object.entries(module as object)) if (isNamed(value)) found[name] = value;
  }
  return found;
}

function isNamed(value: unknown): value is v.GenericSchema {
  return (
    typeof value === "object" && value !== null && "kind" in value && value.kind === "schema" && "entries" in value
  );
}
