import { communityFields } from "#lib/fields/community.ts";
import { setBy } from "#lib/fields/field.ts";
import { openapi } from "./openapi/document.ts";

/** The properties of a JSON Schema in the OpenAPI document that this module reads. */
type Schema = {
  readonly $ref?: string;
  readonly type?: unknown;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: string | number | boolean;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
};

/** The bodies that set fields of a record, by their method, and the fields that only admins may change. */
type Bodies = { readonly POST?: string; readonly PATCH?: string; readonly admin?: readonly string[] };

/** Records with a table of fields in the documents, with the bodies of their routes: names of the document's schemas. */
export const recordTables: Readonly<Record<string, Bodies>> = {
  Member: { PATCH: "MemberUpdate" },
  Access: {},
  RefundEntry: {},
  Brand: { POST: "BrandCreate", PATCH: "BrandUpdate" },
  Benefit: { POST: "BenefitCreate", PATCH: "BenefitUpdate" },
  Listing: {},
  Community: { POST: "CommunityCreate", PATCH: "CommunityUpdate", admin: setBy(communityFields, "admin") },
  Tier: { POST: "TierCreate", PATCH: "TierUpdate" },
  Person: {},
  Stats: {},
  EventMember: {},
  ApiKey: { POST: "ApiKeyCreate" },
  EventPayment: {},
  Transaction: {},
  Movement: {},
  TeamMember: { PATCH: "TeamMemberUpdate" },
  Invitation: { POST: "InvitationCreate" },
  Destination: { POST: "DestinationCreate", PATCH: "DestinationUpdate" },
};

/** Lists with a table of query parameters in the documents: operation ids. */
export const queryTables = [
  "MembersList",
  "DiscoveryExplore",
  "CommunitiesSeries",
  "CommunitiesTransactions",
  "CommunitiesMovements",
  "CommunitiesActivity",
] as const;

const document = openapi();
const schemas = document.components.schemas as Readonly<Record<string, Schema>>;

const schemaOf = (name: string): Schema => {
  const schema = schemas[name];
  if (!schema) throw new Error(`The OpenAPI document has no schema ${name}`);
  return schema;
};

const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : schemaOf(schema.$ref.replace(/^.*\//, ""));

/** The table of a record: each field with its type, the requests that set it, and its description. */
export function recordTable(name: string): string {
  const { admin = [], ...names } = recordTables[name] ?? {};
  const bodies = Object.entries(names).flatMap(([method, body]) =>
    Object.values(schemaOf(body).properties ?? {}).map((fields) => ({ method, fields })),
  );
  const rows = fieldsOf(schemaOf(name)).map(({ path, schema }) => {
    const requests = bodies.flatMap(({ method, fields }): Request[] => {
      const field = fields.properties?.[path];
      if (!field) return [];
      const isRequired = method === "POST" && fields.required?.includes(path);
      const note = isRequired ? " (required)" : method === "PATCH" && admin.includes(path) ? " (admins)" : "";
      return [{ method: `\`${method}\``, note, field, ...textOf(field) }];
    });
    const standard = requests.find((request) => request.standard)?.standard;
    return [
      `\`${path}\``,
      [typeOf(schema, requests[0]?.field), ...(standard ? [`default ${standard}`] : [])].join(", "),
      ...(bodies.length > 0 ? [requests.map(({ method, note }) => method + note).join(", ")] : []),
      descriptionOf(schema, requests),
    ];
  });
  return table(["field", "type", ...(bodies.length > 0 ? ["in requests"] : []), "description"], rows);
}

/** A field in the body of a request. */
type Request = {
  readonly method: string;
  readonly note: string;
  readonly field: Schema;
  readonly description: string;
  readonly standard?: string;
};

/** The description of a field, and those of requests that describe it differently. */
function descriptionOf(schema: Schema, requests: readonly Request[]): string {
  const { description } = textOf(schema);
  const others = Map.groupBy(requests, (request) => request.description);
  others.delete(description);
  const texts = Array.from(
    others,
    ([text, alike]) => `In a ${alike.map(({ method }) => method).join(" or ")}: ${text}`,
  );
  return [description, ...texts].join(" ");
}

/** The table of a list's query parameters. */
export function queryTable(operationId: string): string {
  const operation = Object.values(document.paths)
    .flatMap((methods) => Object.values(methods) as { operationId: string; parameters: readonly Parameter[] }[])
    .find((one) => one.operationId === operationId);
  if (!operation) throw new Error(`The OpenAPI document has no operation ${operationId}`);
  const rows = operation.parameters
    .filter((parameter) => parameter.in === "query")
    .map(({ name, required, schema, description }) => {
      const standard = schema.default === undefined || schema.default === "" ? undefined : schema.default;
      const notes = [required && "required", standard !== undefined && `default \`${standard}\``];
      return [`\`${name}\``, [typeOf(schema), ...notes].filter(Boolean).join(", "), description];
    });
  return table(["parameter", "type", "description"], rows);
}

type Parameter = {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description: string;
  readonly schema: Schema;
};

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows]
    .map((cells, n) => (n === 1 ? `|${cells.join("|")}|` : `| ${cells.join(" | ")} |`.replaceAll("|  |", "| |")))
    .join("\n");

/** The fields of a schema and those of the objects inside it, which no other schema describes. */
const fieldsOf = ({ properties = {} }: Schema, prefix = ""): { path: string; schema: Schema }[] =>
  Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${prefix}${name}`;
    const inner = schema.items ? fieldsOf(schema.items, `${path}[].`) : fieldsOf(schema, `${path}.`);
    return [{ path, schema }, ...inner];
  });

/** The description of a field without the default at its end, and the default. */
function textOf({ description = "" }: Schema): { readonly description: string; readonly standard?: string } {
  const [, text = "", standard] = /^(.*?)(?: Default: (`.*`)\.)?$/s.exec(description) ?? [];
  return { description: text, ...(standard !== undefined && { standard }) };
}

/** The type of a value in words, with the limits that a body sets. */
function typeOf(schema: Schema, body: Schema = schema): string {
  const { anyOf = [] } = schema;
  const [value, ...others] = anyOf.filter(({ type }) => type !== "null");
  if (value && others.length === 0) {
    const type = typeOf(value, body === schema ? value : body);
    return resolved(value).enum ? type.replace(/ or (`\w+`)$/, ", $1 or null") : `${type} or null`;
  }
  const limits = body.anyOf?.find(({ type }) => type !== "null") ?? body;
  const { type, items } = schema;
  const { enum: values, properties } = resolved(schema);
  if (values) return listed(values.map((one) => `\`${String(one)}\``));
  if (type === "array" && items) return `list of ${amountOf(limits)}${pluralOf(items)}`;
  if (properties)
    return `object: ${Object.keys(properties)
      .map((name) => `\`${name}\``)
      .join(", ")}`;
  return [nameOf({ ...limits, ...schema, ...(type === "number" && { type: limits.type }) }), rangeOf(limits)]
    .filter(Boolean)
    .join(", ");
}

const nameOf = ({ type, format = "" }: Schema): string =>
  ({ "date-time": "timestamp", date: "date", uuid: "UUID", uri: "URL" })[format] ?? String(type);

function pluralOf(items: Schema): string {
  const { properties, enum: values } = resolved(items);
  if (properties) return typeOf(items).replace("object:", "objects:");
  return values ? `strings: ${typeOf(items)}` : `${nameOf(items)}s`;
}

const format = new Intl.NumberFormat("en-US");
const number = (value: number): string => format.format(value);

const between = (least: number, most: number | undefined): string => {
  if (most === undefined) return least > 0 ? `at least ${number(least)}` : "";
  return least > 0 ? `${number(least)} to ${number(most)}` : `at most ${number(most)}`;
};

const amountOf = ({ minItems = 0, maxItems }: Schema): string => {
  const amount = between(minItems, maxItems);
  return amount && `${amount} `;
};

/** The range of a number or the length of a text. Nothing where the range is that of every id or integer. */
function rangeOf({ minimum, maximum, minLength = 0, maxLength }: Schema): string {
  const length = between(minLength, maxLength);
  if (length) return `${length} characters`;
  if (maximum === undefined || maximum === Number.MAX_SAFE_INTEGER || minimum === undefined) return "";
  return `${number(minimum)} to ${number(maximum)}`;
}

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
