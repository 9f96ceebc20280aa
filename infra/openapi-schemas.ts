import { globSync } from "node:fs";
import { join } from "node:path";
import { type ConversionConfig, type JsonSchema, toJsonSchema, toJsonSchemaDefs } from "@valibot/to-json-schema";
import * as v from "valibot";

// A `v.check` is code, which JSON Schema cannot say: what it asks for is in the texts of `api.md`.
const config = {
  target: "draft-2020-12",
  errorMode: "ignore",
  overrideAction: ({ valibotAction: { type }, jsonSchema }) =>
    type === "safe_integer" ? { ...jsonSchema, format: "int64" } : undefined,
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
} as const satisfies ConversionConfig;

/** The records of the API by the name that they are exported with: `Member`, `MemberPage`. */
const records = await named(join(import.meta.dirname, "../lib/domain"));

export const recordSchemas: Readonly<Record<string, JsonSchema>> = toJsonSchemaDefs(records, {
  ...config,
  typeMode: "output",
});

/** What an answer looks like; records are referred to by name. */
export const answerSchema = (schema: v.GenericSchema): JsonSchema =>
  schemaOf(schema, { ...config, typeMode: "output", definitions: records });

/** What a body must look like. */
export const bodySchema = (schema: v.GenericSchema): JsonSchema => schemaOf(schema, { ...config, typeMode: "input" });

/** The parameters of a query: what each must look like, and whether it must be there. */
export function queryParameters(query: v.GenericSchema) {
  const { properties = {}, required = [] } = bodySchema(query);
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema: typeof schema === "object" ? meant(schema, (text) => parsed(query, name, text)) : schema,
  }));
}

/** In a query everything is text. Whether it stands for a number or a boolean is seen by what becomes of one. */
function meant({ default: standard, ...schema }: JsonSchema, become: (text: string) => unknown): object {
  const given = (value: unknown) => standard !== undefined && { default: value };
  if (typeof become("1") === "number") {
    const minimum = become("0") === undefined ? 1 : 0;
    return { type: "integer", format: "int64", minimum, ...given(Number(standard)) };
  }
  if (typeof become("true") === "boolean") return { type: "boolean", ...given(standard === "true") };
  return { ...schema, ...given(standard) };
}

function parsed(query: v.GenericSchema, name: string, text: string): unknown {
  const { success, output } = v.safeParse(query, { [name]: text });
  return success && typeof output === "object" && output !== null
    ? Object.entries(output).find(([key]) => key === name)?.[1]
    : undefined;
}

function schemaOf(schema: v.GenericSchema, options: ConversionConfig): JsonSchema {
  const { $schema: _, $defs: __, ...jsonSchema } = toJsonSchema(schema, options);
  return jsonSchema;
}

async function named(folder: string): Promise<Record<string, v.GenericSchema>> {
  const found: Record<string, v.GenericSchema> = {};
  for (const file of globSync("*.ts", { cwd: folder }).toSorted()) {
    const module: unknown = await import(join(folder, file));
    for (const [name, value] of Object.entries(module as object)) if (isRecord(value)) found[name] = value;
  }
  return found;
}

function isRecord(value: unknown): value is v.GenericSchema {
  return (
    typeof value === "object" && value !== null && "kind" in value && value.kind === "schema" && "entries" in value
  );
}
