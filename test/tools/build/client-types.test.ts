import { expect, it } from "vitest";
import { clientTypes } from "../../../tools/build/openapi/client-types.ts";

/** Returns the generated type of a schema named `Thing`, without line breaks. */
function typeOf(schema: object): string {
  const text = clientTypes({ paths: {}, webhooks: {}, components: { schemas: { Thing: schema } } });
  return /export type Thing = (.*?);\n\n/s.exec(text)?.[1]?.replaceAll(/\s+/g, " ") ?? "";
}

it.each([
  [{ type: "integer", minimum: 1 }, "number"],
  [{ type: ["string", "null"] }, "string | null"],
  [{ const: "ok" }, '"ok"'],
  [{ type: "string", enum: ["on", "off"] }, '"on" | "off"'],
  [{ type: "string", "x-extensible-enum": ["a"] }, '"a" | (string & {})'],
  [{ $ref: "#/components/schemas/Member" }, "Member"],
  [{ anyOf: [{ $ref: "#/components/schemas/Member" }, { type: "null" }] }, "Member | null"],
  [{ type: "array", items: { anyOf: [{ type: "string" }, { type: "null" }] } }, "(string | null)[]"],
  [{ type: "object" }, "Record<string, unknown>"],
  [{ type: "object", additionalProperties: { type: "integer" } }, "Record<string, number>"],
  [{ type: "object", properties: {}, additionalProperties: false }, "Record<string, never>"],
  [
    { type: "object", properties: { a: { type: "string" }, b: { type: "null", description: "B" } }, required: ["a"] },
    "{ a: string; /** B */ b?: null; }",
  ],
  [
    { type: "object", properties: { a: { type: "string" } }, additionalProperties: true },
    "{ a?: string; [name: string]: unknown; }",
  ],
])("the client's type of %j is %s", (schema, type) => {
  expect(typeOf(schema)).toBe(type);
});

it.each([{}, { description: "A schema that says nothing" }, { oneOf: [] }, { type: "array" }])(
  "clientTypes throws for the unknown form %j",
  (schema) => {
    expect(() => typeOf(schema)).toThrow("do not know this schema");
  },
);

it("the client's type of an operation has its parameters, body and result, and webhooks are omitted", () => {
  const parameter = (place: string, name: string, required: boolean) => ({
    in: place,
    name,
    required,
    schema: { type: "string" },
  });
  const json = (schema: object) => ({ content: { "application/json": { schema } } });
  const text = clientTypes({
    components: { schemas: {} },
    webhooks: {},
    paths: {
      "/things/{id}": {
        patch: {
          tags: ["things"],
          summary: "Edit a thing",
          parameters: [parameter("path", "id", true), parameter("query", "per", false)],
          requestBody: { required: true, ...json({ $ref: "#/components/schemas/ThingUpdate" }) },
          responses: { 200: json({ $ref: "#/components/schemas/Thing" }), 404: json({ type: "string" }) },
        },
        delete: { tags: ["things"], summary: "Delete", parameters: [], responses: { 204: {} } },
        get: { tags: ["things"], summary: "Show", parameters: [], security: [{}, { bearer: [] }], responses: {} },
      },
      "/webhooks/others": { post: { tags: ["webhooks"], summary: "", parameters: [], responses: {} } },
    },
  });
  expect(text.slice(text.indexOf("export type Operations")).replaceAll(/\s+/g, " ").trim()).toBe(
    "export type Operations = { /** Edit a thing */ " +
      '"PATCH /things/{id}": { params: { path: { id: string }; query?: { per?: string } }; ' +
      "body: ThingUpdate; result: Thing; }; " +
      '/** Delete */ "DELETE /things/{id}": { result: undefined }; ' +
      '/** Show */ "GET /things/{id}": { ' +
      "/** Sends no token, so that CloudFront can answer. What depends on the caller is then null or false. */ " +
      "anonymous?: boolean; result: undefined; }; };",
  );
});

const found = (text: string, pattern: RegExp) =>
  (text.match(pattern) ?? []).map((type) => type.replaceAll(/\s+/g, " ").trim());

it("parameters that are the same in several operations are one type", () => {
  const path = { in: "path", name: "id", required: true, schema: { type: "string" } };
  const parameter = (name: string, description: string) => ({
    ...path,
    in: "query",
    name,
    required: false,
    description,
  });
  const operation = (...parameters: object[]) => ({ tags: [], summary: "", parameters, responses: {} });
  const text = clientTypes({
    components: { schemas: {} },
    webhooks: {},
    paths: {
      "/event_things/{id}": { get: operation(path, parameter("per", "Limit"), parameter("sort", "Order of things")) },
      "/event_things/{id}/parts": {
        get: operation(path, parameter("per", "Limit"), parameter("sort", "Order of parts")),
      },
    },
  });
  expect(found(text, /^type \w+(Path|Parameters) = .*?;\n\n/gms)).toEqual([
    "type EventThingsPath = { id: string; };",
    "type QueryParameters = { /** Limit */ per?: string; };",
    "type HeaderParameters = Record<string, never>;",
  ]);
  expect(found(text, /parts": .*?result/s)).toEqual([
    'parts": { params: { path: EventThingsPath; ' +
      'query?: Pick<QueryParameters, "per"> & { /** Order of parts */ sort?: string; }; }; result',
  ]);
});

it("pages that differ only in their records are one type", () => {
  const page = (name: string) => ({
    type: "object",
    properties: { has_more: { type: "boolean" }, data: { type: "array", items: { $ref: `#/${name}` } } },
    required: ["has_more", "data"],
  });
  const schemas = { APage: page("A"), BPage: page("B") };
  const text = clientTypes({ paths: {}, webhooks: {}, components: { schemas } });
  expect(found(text, /^(export )?type (Numbered|[AB])Page.*?;\n\n/gms)).toEqual([
    "type NumberedPage<Item> = { has_more: boolean; data: Item[]; };",
    "export type APage = NumberedPage<A>;",
    "export type BPage = NumberedPage<B>;",
  ]);
});

/** Creates a document with one event whose name is its type. */
const documentOf = (...events: { type: string; data: string; properties?: object }[]) => {
  const webhooks = events.map(({ type, data, properties }) => {
    const fields = { type: { const: type }, data: { $ref: `#/components/schemas/${data}` }, ...properties };
    const schema = { type: "object", properties: fields, required: Object.keys(fields) };
    return [
      type,
      { post: { summary: `${type} happens.`, requestBody: { content: { "application/json": { schema } } } } },
    ];
  });
  return { components: { schemas: {} }, paths: {}, webhooks: Object.fromEntries(webhooks) };
};

it("the client's type of an event has its type and the fields of its body", () => {
  const text = clientTypes(documentOf({ type: "a.made", data: "AData" }, { type: "b.made", data: "BData" }));
  expect(found(text, /type Envelope.*?};\n\n/s)).toEqual(["type Envelope<Type, Data> = { type: Type; data: Data; };"]);
  expect(found(text, /export type Events = .*?};\n\n/s)).toEqual([
    'export type Events = { /** a.made happens. */ "a.made": Envelope<"a.made", AData>; ' +
      '/** b.made happens. */ "b.made": Envelope<"b.made", BData>; };',
  ]);
});

it("the client's type of an event has the fields that only this event has", () => {
  const other = { type: "b.made", data: "BData", properties: { id: { type: "string" } } };
  const text = clientTypes(documentOf({ type: "a.made", data: "AData" }, other));
  expect(text).toContain('Envelope<"b.made", BData> & { id: string };');
});

it("clientTypes throws if a common field of two events differs", () => {
  const event = (name: string, type: string) => ({
    type: `${name}.made`,
    data: "Data",
    properties: { id: { type } },
  });
  expect(() => clientTypes(documentOf(event("a", "string"), event("b", "integer")))).toThrow("differ in a common");
});
