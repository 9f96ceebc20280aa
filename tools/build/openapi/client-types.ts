/** The part of JSON Schema that the document uses. */
type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  /** Currently known values. Later versions can add more. */
  readonly "x-extensible-enum"?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly description?: string;
};
type Content = { readonly content?: { readonly "application/json"?: { readonly schema: Schema } } };
type Operation = {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: Content & { readonly required: boolean };
  readonly responses: Readonly<Record<string, Content>>;
};
type Webhook = { readonly summary: string; readonly requestBody: Content };
type Document = {
  readonly webhooks: Readonly<Record<string, { readonly post: Webhook }>>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** A property of an object type. */
type Field = { readonly name: string; readonly type: string; readonly isOptional?: boolean; readonly doc?: string };

/**
 * Generates the types of the published client: each schema by name, each operation by method and path for
 * `client/operations.ts`, and each event by type for `client/webhooks.ts`. The types import nothing, so that the
 * package has no dependencies.
 *
 * @throws Error for a schema of an unknown form
 */
export function clientTypes(document: object): string {
  const { paths, webhooks, components } = document as Document;
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `export type ${name} = ${typeOf(schema, "")};\n`,
  );
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => !tags.includes("webhooks"))
      .map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`,
        type: operationType(operation, "  "),
        doc: operation.summary,
      })),
  );
  const events = Object.entries(webhooks).map(([name, { post }]): Field => {
    const schema = post.requestBody.content?.["application/json"]?.schema;
    return { name, type: schema ? typeOf(schema, "  ") : "undefined", doc: post.summary };
  });
  return [
    "// Written by `npm run openapi` from the contract. Do not edit.\n",
    ...schemas,
    "/** The events that webhooks deliver. */",
    `export type Events = ${objectOf(events, "")};\n`,
    "/** What each operation takes and returns. */",
    `export type Operations = ${objectOf(operations, "")};\n`,
  ].join("\n");
}

function operationType({ parameters, requestBody, responses }: Operation, indent: string): string {
  const inner = `${indent}  `;
  const params = ["path", "query", "header"].flatMap((place): Field[] => {
    // If-None-Match is for callers with a copy of the record, and the client keeps none.
    const fields = parameters.filter((one) => one.in === place && one.name !== "If-None-Match");
    if (fields.length === 0) return [];
    const types = fields.map(({ name, required, description, schema }) => ({
      name,
      type: typeOf(schema, `${inner}    `),
      isOptional: !required,
      ...(description !== undefined && { doc: description }),
    }));
    return [
      { name: place, type: objectOf(types, `${inner}  `), isOptional: types.every(({ isOptional }) => isOptional) },
    ];
  });
  const body = requestBody?.content?.["application/json"]?.schema;
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? [];
  const result = success?.content?.["application/json"]?.schema;
  const fields: readonly Field[] = [
    ...(params.length > 0
      ? [{ name: "params", type: objectOf(params, inner), isOptional: params.every(({ isOptional }) => isOptional) }]
      : []),
    ...(body ? [{ name: "body", type: typeOf(body, inner), isOptional: !requestBody?.required }] : []),
    { name: "result", type: result ? typeOf(result, inner) : "undefined" },
  ];
  return objectOf(fields, indent);
}

function typeOf(schema: Schema, indent: string): string {
  const { $ref, type, enum: values, anyOf, items, properties, additionalProperties } = schema;
  if ($ref !== undefined) return $ref.slice($ref.lastIndexOf("/") + 1);
  if ("const" in schema) return JSON.stringify(schema.const);
  const known = schema["x-extensible-enum"];
  if (known) return unionOf([...known.map((value) => JSON.stringify(value)), "(string & {})"]);
  if (values) return unionOf(values.map((value) => JSON.stringify(value)));
  if (anyOf) return unionOf(anyOf.map((one) => typeOf(one, indent)));
  if (Array.isArray(type)) return unionOf(type.map((one: string) => typeOf({ ...schema, type: one }, indent)));
  if (type === "integer") return "number";
  if (type === "string" || type === "number" || type === "boolean" || type === "null") return type;
  if (type === "array" && items) return listOf(typeOf(items, indent));
  if (type === "object" && properties) return objectOf(fieldsOf(schema, `${indent}  `), indent, additionalProperties);
  if (type === "object" && typeof additionalProperties === "object" && Object.keys(additionalProperties).length > 0)
    return `Record<string, ${typeOf(additionalProperties, indent)}>`;
  if (type === "object") return "Record<string, unknown>";
  throw new Error(`The client's types do not know this schema: ${JSON.stringify(schema)}`);
}

const fieldsOf = ({ properties = {}, required = [] }: Schema, indent: string): Field[] =>
  Object.entries(properties).map(([name, schema]) => ({
    name,
    type: typeOf(schema, indent),
    isOptional: !required.includes(name),
    ...(schema.description !== undefined && { doc: schema.description }),
  }));

const unionOf = (types: readonly string[]): string => [...new Set(types)].join(" | ");
const listOf = (type: string): string => (type.includes(" | ") ? `(${type})[]` : `${type}[]`);

function objectOf(
  fields: readonly Field[],
  indent: string,
  additional: Schema["additionalProperties"] = false,
): string {
  const lines = fields.flatMap(({ name, type, isOptional = false, doc }) => [
    ...(doc === undefined ? [] : [`/** ${doc.replaceAll("*/", "*\\/")} */`]),
    `${/^\w+$/.test(name) ? name : JSON.stringify(name)}${isOptional ? "?" : ""}: ${type};`,
  ]);
  if (additional !== false) lines.push("[name: string]: unknown;");
  if (lines.length === 0) return "Record<string, never>";
  return `{\n${lines.map((line) => `${indent}  ${line}\n`).join("")}${indent}}`;
}
