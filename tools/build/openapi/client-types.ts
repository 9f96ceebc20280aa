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
type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
};
type Operation = {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  readonly security?: readonly object[];
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
 * `client/operations.ts`, and each event by type for `client/webhooks.ts`. What pages, events or operations have in common is
 * one type that is not exported. The types import nothing, so that the package has no dependencies.
 *
 * @throws Error for a schema of an unknown form, or if the envelopes of events differ in a common property
 */
export function clientTypes(document: object): string {
  const { paths, webhooks, components } = document as Document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => !tags.includes("webhooks"))
      .map(([method, operation]) => ({
        ...operation,
        name: `${method.toUpperCase()} ${path}`,
        // `If-None-Match` is for callers that keep a copy of the record. The client keeps none.
        parameters: operation.parameters.filter(({ name }) => name !== "If-None-Match"),
      })),
  );
  const shared = { parameters: sharedParameters(operations), paths: sharedPaths(operations) };
  const operationFields = operations.map((operation) => ({
    name: operation.name,
    type: operationType(operation, shared, "  "),
    doc: operation.summary,
  }));
  return [
    "// Written by `npm run openapi` from the contract. Do not edit.\n",
    ...schemaTypes(components.schemas),
    ...eventTypes(webhooks),
    ...[...shared.paths].map(([type, name]) => `type ${name} = ${type};\n`),
    ...["query", "header"].map((place) => {
      const fields = parametersIn(place, shared.parameters).map(parameterField);
      return `type ${capitalized(place)}Parameters = ${objectOf(fields, "")};\n`;
    }),
    "/** What each operation takes and returns. */",
    `export type Operations = ${objectOf(operationFields, "")};\n`,
  ].join("\n");
}

function schemaTypes(schemas: Document["components"]["schemas"]): string[] {
  const types = Object.entries(schemas).map(([name, schema]) => {
    const type = typeOf(schema, "");
    const item = /  data: (\w+)\[\];/.exec(type)?.[1];
    return { name, type, item, page: type.replace(`data: ${item}[]`, "data: Item[]") };
  });
  const lists = types.filter(({ item }) => item !== undefined);
  const pages = [...Map.groupBy(lists, ({ page }) => page)]
    .filter(([, { length }]) => length > 1)
    .map(([page]) => ({ page, name: page.includes("next_cursor") ? "CursorPage" : "NumberedPage" }));
  return [
    ...pages.map(({ page, name }) => `type ${name}<Item> = ${page};\n`),
    ...types.map(({ name, type, item, page }) => {
      const generic = pages.find((one) => one.page === page)?.name;
      return `export type ${name} = ${generic === undefined ? type : `${generic}<${item}>`};\n`;
    }),
  ];
}

function eventTypes(webhooks: Document["webhooks"]): string[] {
  const schemas = Object.entries(webhooks).map(([name, { post }]) => {
    return { name, doc: post.summary, schema: post.requestBody.content?.["application/json"]?.schema ?? {} };
  });
  const isCommon = (property: string) => schemas.every(({ schema }) => property in (schema.properties ?? {}));
  const events = schemas.map(({ name, doc, schema }) => {
    const type = JSON.stringify(name);
    const { data, ...others } = schema.properties ?? {};
    const properties = { ...others, data: { ...data, $ref: "Data" } };
    const envelope = typeOf(withProperties({ ...schema, properties }, isCommon), "");
    const own = withProperties(schema, (property) => !isCommon(property));
    const more = Object.keys(own.properties ?? {}).length > 0 ? ` & ${typeOf(own, "  ")}` : "";
    return {
      field: { name, type: `Envelope<${type}, ${typeOf(data ?? {}, "")}>${more}`, doc },
      envelope: envelope.replace(type, "Type").replace(/`data\.\w+`/, "the record in `data`"),
    };
  });
  const envelopes = new Set(events.map(({ envelope }) => envelope));
  if (envelopes.size > 1) throw new Error("The envelopes of events differ in a common property");
  return [
    ...[...envelopes].map((envelope) => `type Envelope<Type, Data> = ${envelope};\n`),
    "/** The events that webhooks deliver. */",
    `export type Events = ${objectOf(
      events.map(({ field }) => field),
      "",
    )};\n`,
  ];
}

const withProperties = (schema: Schema, isIncluded: (name: string) => boolean): Schema => ({
  ...schema,
  properties: Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([name]) => isIncluded(name))),
});

/** The parameters of paths that several operations have, with the names of their types: `MembersPath`. */
function sharedPaths(operations: readonly (Operation & { readonly name: string })[]): Map<string, string> {
  const byType = Map.groupBy(operations, ({ parameters }) => typeOfPath(parameters, ""));
  const names = new Map<string, string>();
  for (const [type, [first, ...others]] of byType) {
    const [, record = ""] = /(\w+)\/\{\w+\}[^{]*$/.exec(first?.name ?? "") ?? [];
    const name = `${record.split("_").map(capitalized).join("")}Path`;
    if (others.length > 0 && record !== "" && ![...names.values()].includes(name)) names.set(type, name);
  }
  return names;
}

const typeOfPath = (parameters: readonly Parameter[], indent: string): string =>
  objectOf(parametersIn("path", parameters).map(parameterField), indent);

/** Parameters that several operations have in identical form. */
function sharedParameters(operations: readonly Operation[]): Parameter[] {
  const parameters = operations.flatMap((operation) => operation.parameters);
  return [...Map.groupBy(parameters, ({ in: place, name }) => `${place} ${name}`).values()]
    .filter((uses) => uses.length > 1 && new Set(uses.map((use) => JSON.stringify(use))).size === 1)
    .flatMap(([first]) => first ?? []);
}

type Shared = { readonly parameters: readonly Parameter[]; readonly paths: ReadonlyMap<string, string> };

function operationType(
  { parameters, security = [], requestBody, responses }: Operation,
  shared: Shared,
  indent: string,
): string {
  const inner = `${indent}  `;
  const params = ["path", "query", "header"].flatMap((place): Field[] => {
    const fields = parametersIn(place, parameters);
    if (fields.length === 0) return [];
    const isShared = ({ name }: Parameter) => parametersIn(place, shared.parameters).some((one) => one.name === name);
    const common = fields.filter(isShared).map(({ name }) => ({ const: name }));
    const own = fields.filter((field) => !isShared(field)).map(parameterField);
    const picked = [
      ...(common.length > 0 ? [`Pick<${capitalized(place)}Parameters, ${typeOf({ anyOf: common }, "")}>`] : []),
      ...(own.length > 0 ? [objectOf(own, `${inner}  `)] : []),
    ].join(" & ");
    const path = shared.paths.get(typeOfPath(fields, "")) ?? typeOfPath(fields, `${inner}  `);
    const isOptional = fields.every(({ required }) => !required);
    return [{ name: place, type: place === "path" ? path : picked, isOptional }];
  });
  const body = requestBody?.content?.["application/json"]?.schema;
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? [];
  const result = success?.content?.["application/json"]?.schema;
  const fields: readonly Field[] = [
    ...(params.length > 0
      ? [{ name: "params", type: objectOf(params, inner), isOptional: params.every(({ isOptional }) => isOptional) }]
      : []),
    ...(body ? [{ name: "body", type: typeOf(body, inner), isOptional: !requestBody?.required }] : []),
    ...(security.some((scheme) => Object.keys(scheme).length === 0) ? [anonymous] : []),
    { name: "result", type: result ? typeOf(result, inner) : "undefined" },
  ];
  return objectOf(fields, indent);
}

/** The field of an operation that works with and without a token. */
const anonymous: Field = {
  name: "anonymous",
  type: "boolean",
  isOptional: true,
  doc: "Sends no token, so that CloudFront can answer. What depends on the caller is then null or false.",
};

const parametersIn = (place: string, parameters: readonly Parameter[]): Parameter[] =>
  parameters.filter((one) => one.in === place);

const capitalized = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;

const parameterField = ({ name, required, description, schema }: Parameter): Field => ({
  name,
  type: typeOf(schema, ""),
  isOptional: !required,
  ...(description !== undefined && { doc: description }),
});

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
  const lines = fields.flatMap(({ name, type, isOptional = false, doc }) => {
    const key = `${/^\w+$/.test(name) ? name : JSON.stringify(name)}${isOptional ? "?" : ""}`;
    const inOneLine = `${key}: ${type.replaceAll(/\s+/g, " ").replaceAll("; }", " }")};`;
    const isShort = !type.includes("/**") && `${indent}  ${inOneLine}`.length <= 120;
    return [
      ...(doc === undefined ? [] : [`/** ${doc.replaceAll("*/", "*\\/")} */`]),
      isShort ? inOneLine : `${key}: ${type};`,
    ];
  });
  if (additional !== false) lines.push("[name: string]: unknown;");
  if (lines.length === 0) return "Record<string, never>";
  return `{\n${lines.map((line) => `${indent}  ${line}\n`).join("")}${indent}}`;
}
