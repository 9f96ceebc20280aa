import { expect, it } from "vitest";
import { clientTypes } from "../../../tools/build/openapi/client-types.ts";

/** The type of a schema named `Thing`, without line breaks. */
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
      },
      "/webhooks/others": { post: { tags: ["webhooks"], summary: "", parameters: [], responses: {} } },
    },
  });
  expect(text.slice(text.indexOf("export type Operations")).replaceAll(/\s+/g, " ").trim()).toBe(
    "export type Operations = { /** Edit a thing */ " +
      '"PATCH /things/{id}": { params: { path: { id: string; }; query?: { per?: string; }; }; ' +
      "body: ThingUpdate; result: Thing; }; " +
      '/** Delete */ "DELETE /things/{id}": { result: undefined; }; };',
  );
});

it("the client's type of an event has its type and the fields of its body", () => {
  const schema = {
    type: "object",
    properties: { type: { const: "thing.made" }, data: { $ref: "#/components/schemas/ThingEventData" } },
    required: ["type", "data"],
  };
  const post = { summary: "A thing is made.", requestBody: { content: { "application/json": { schema } } } };
  const text = clientTypes({ components: { schemas: {} }, paths: {}, webhooks: { "thing.made": { post } } });
  expect(/export type Events = .*?};\n\n/s.exec(text)?.[0].replaceAll(/\s+/g, " ").trim()).toBe(
    "export type Events = { /** A thing is made. */ " +
      '"thing.made": { type: "thing.made"; data: ThingEventData; }; };',
  );
});
