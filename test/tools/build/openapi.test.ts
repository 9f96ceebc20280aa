import { globSync, readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { Metafile } from "esbuild";
import { describe, expect, it } from "vitest";
import { type MemberState, memberChanges } from "#lib/events/member-changes.ts";
import { statuses } from "#lib/values/member-status.ts";
import { breakingChanges } from "../../../tools/build/openapi/breaking.ts";
import { openapi } from "../../../tools/build/openapi/document.ts";
import { withNamedEnums } from "../../../tools/build/openapi/enums.ts";
import { problemTexts } from "../../../tools/build/openapi/problem-texts.ts";

type Schema = {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly examples?: readonly unknown[];
  readonly description?: string;
  readonly $ref?: string;
};
type Link = { readonly operationId: string; readonly parameters: Readonly<Record<string, string>> };
type Operation = {
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly description?: string;
    readonly $ref?: string;
  }[];
  readonly responses: Readonly<
    Record<string, { readonly headers?: object; readonly links?: Readonly<Record<string, Link>> }>
  >;
};

/** The names of the component schemas that a text refers to. */
const referencesIn = (text: string) =>
  [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].flatMap(([, name]) => name ?? []);

const document = openapi();
const schemas = document.components.schemas as Readonly<Record<string, Schema>>;
const operations = Object.values(document.paths).flatMap((byMethod) => Object.values(byMethod) as Operation[]);

/** Returns the JSON Schema of a component, including the schemas that it refers to. */
const ajv = new Ajv2020({ strict: false, formats: { int64: true, uri: true, uuid: true, "date-time": true } });
ajv.addSchema({ $id: "odis", components: document.components });
const errorsOf = (name: string, value: unknown) => {
  const validate = ajv.compile({ $ref: `odis#/components/schemas/${name}` });
  return validate(value) ? [] : validate.errors;
};

const bodies = [...new Set(referencesIn(JSON.stringify(document.paths)))];
const exampleOf = (name: string) => schemas[name]?.examples?.[0];

describe("the examples", () => {
  it.each(Object.keys(schemas).filter((name) => schemas[name]?.examples))(
    "the example of %s matches its schema",
    (name) => {
      expect(errorsOf(name, exampleOf(name))).toEqual([]);
    },
  );

  it("every body and every response has an example", () => {
    expect(bodies.filter((name) => exampleOf(name) === undefined)).toEqual([]);
  });

  it("every field has an example of its own type", () => {
    const missing = bodies.flatMap((name) => {
      const example = exampleOf(name);
      const fields = Object.keys(schemas[name]?.properties ?? {});
      return typeof example === "object" && example !== null
        ? fields.filter((field) => !(field in example)).map((field) => `${name}.${field}`)
        : [];
    });
    expect(missing).toEqual([]);
  });

  it("the example of every problem is a problem document", () => {
    const all = Object.values(document.components.responses).flatMap(({ content }) =>
      Object.values(content["application/problem+json"].examples),
    );
    expect(all.flatMap(({ value }) => errorsOf("Problem", value))).toEqual([]);
  });
});

describe("the components", () => {
  const text = JSON.stringify({ ...document, components: { ...document.components, schemas: {} } });

  it("an enum that occurs in several places is a component", () => {
    expect(schemas.MemberStatus).toMatchObject({ type: "string", enum: Object.keys(statuses) });
    expect(schemas.Membership?.properties?.status?.anyOf?.[0]).toEqual({ $ref: "#/components/schemas/MemberStatus" });
    const enums = Array.from(
      JSON.stringify(document).matchAll(/"type":"string","enum":(\[.*?\])/g),
      ([, values]) => values,
    );
    expect(enums.length).toBeGreaterThan(20);
    expect(enums.filter((values, n) => enums.indexOf(values) !== n)).toEqual([]);
  });

  it("a document with an enum in several places that has no name throws", () => {
    const field = { type: "string", enum: ["a", "b"] };
    const schemasWithout = { One: { properties: { x: field } }, Other: { properties: { y: field } } };
    expect(() => withNamedEnums({ components: { schemas: schemasWithout } })).toThrow("One.x, Other.y");
  });

  it("responses to errors are components whose names say the status, and every one is used", () => {
    const names = Object.keys(document.components.responses);
    expect(names).toEqual(expect.arrayContaining(["Unauthorized", "NotFound", "Conflict", "TooManyRequests"]));
    expect(names.filter((name) => !/^[A-Z]\w+$/.test(name))).toEqual([]);
    expect(names.filter((name) => !text.includes(`"#/components/responses/${name}"`))).toEqual([]);
  });

  it("the security scheme describes how to sign up, sign in and refresh", () => {
    const { description } = document.components.securitySchemes.bearer;
    for (const word of ["SignUp", "ConfirmSignUp", "USER_SRP_AUTH", "REFRESH_TOKEN_AUTH", "/.well-known/odis.json"])
      expect(description).toContain(word);
  });
});

describe("the events", () => {
  const events = Object.entries(document.webhooks).map(([type, { post }]) => {
    const { example } = post.requestBody.content["application/json"];
    const { subject = "" } = example as { readonly subject?: string };
    return { type, example, description: post.description, subject };
  });

  it("the subject in the example of every event is a path of its kind of record", () => {
    const collections: Readonly<Record<string, RegExp>> = {
      community: /^communities\/\d+$/,
      tier: /^tiers\//,
      benefit: /^benefits\//,
      event_destination: /^event_destinations\//,
      ping: /^event_destinations\//,
      brand: /^brands\//,
    };
    const ofMember = /^communities\/\d+\/members\//;
    const strays = events.filter(
      ({ type, subject }) => !(collections[type.split(".", 1).join()] ?? ofMember).test(subject),
    );
    expect(strays).toEqual([]);
  });

  it.each([
    ["access.granted", { status: "incomplete", access: { granted: false, reason: "incomplete", until: null } }],
    ["member.past_due", { status: "active", access: { granted: true, reason: "active", until: null } }],
    ["member.updated", { has_shipping_address: false }],
    ["tier.archived", { status: "active" }],
    ["event_destination.disabled", { status: "enabled", disabled_reason: null }],
    ["refund.failed", { status: "succeeded" }],
    ["benefit.created", {}],
  ])("the example of %s has the former values of the event", (type, previous) => {
    expect(events.find((event) => event.type === type)).toHaveProperty("example.previous", previous);
  });

  it.each([
    ...([
      "access.granted",
      "access.revoked",
      "member.joined",
      "member.renewed",
      "member.past_due",
      "member.unpaid",
    ] as const),
    ...(["member.recovered", "member.canceled", "member.tier_changed", "member.cancel_scheduled"] as const),
    ...(["member.uncanceled", "member.blocked", "member.unblocked"] as const),
  ])("the change in the example of %s causes the event", (type) => {
    const { example } = events.find((event) => event.type === type) ?? {};
    const { data, previous } = example as unknown as { data: { member: MemberState }; previous: Partial<MemberState> };
    const after = { ...data.member, user: { id: 5 }, shipping_address: null, version: 1 };
    const caused = memberChanges({ ...after, ...previous }, after);
    expect(caused.map((change) => change.type)).toContain(type);
  });

  it("the member in the example of access.revoked has no access", () => {
    const { example } = events.find(({ type }) => type === "access.revoked") ?? {};
    expect(example).toMatchObject({
      data: { member: { status: "canceled", access: { granted: false, reason: "ended", until: null } } },
      previous: { status: "active", access: { granted: true, reason: "active", until: null } },
    });
  });

  it("the description of every event except those of brands names event destinations", () => {
    const posted = events.filter(({ description }) => /event destinations?/.test(description));
    expect(posted).toEqual(events.filter(({ type }) => !type.startsWith("brand.")));
  });
});

describe("the descriptions", () => {
  /** Returns each property of a schema and of its nested schemas, by path. */
  const propertiesOf = (schema: Schema, path: string): readonly (readonly [string, Schema])[] => [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => [
      [`${path}.${name}`, inner] as const,
      ...propertiesOf(inner, `${path}.${name}`),
    ]),
    ...(schema.items ? propertiesOf(schema.items, `${path}[]`) : []),
    ...(schema.anyOf ?? []).flatMap((inner) => propertiesOf(inner, path)),
  ];

  it("every field of every body and every response has a description", () => {
    const bare = Object.entries(schemas)
      .flatMap(([name, schema]) => propertiesOf(schema, name))
      .filter(([, property]) => !property.description && !property.$ref)
      .map(([path]) => path);
    expect(bare).toEqual([]);
  });

  it("every parameter and every operation has a description", () => {
    const bare = operations.filter(({ summary }) => !summary);
    expect(bare.map(({ operationId }) => operationId)).toEqual([]);
    const parameters = operations.flatMap(({ operationId, parameters: all }) =>
      all.filter((parameter) => !parameter.$ref && !parameter.description).map(({ name }) => `${operationId} ${name}`),
    );
    expect(parameters).toEqual([]);
  });

  it("no function contains a description", () => {
    const { outputs } = JSON.parse(readFileSync("dist/meta.json", "utf8")) as Metafile;
    const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs));
    expect(inputs.filter((path) => path.endsWith("-docs.ts") || path === "lib/contract/descriptions.ts")).toEqual([]);
    const texts = [problemTexts.forbidden.todo, ...operations.flatMap(({ summary = [] }) => summary)];
    const bundles = globSync("dist/*/*/index.mjs").map((path) => readFileSync(path, "utf8"));
    expect(bundles.length).toBeGreaterThan(60);
    expect(texts.filter((text) => bundles.some((bundle) => bundle.includes(text)))).toEqual([]);
  });
});

it("of the lists with CSV, only that of members has the header X-Total-Count, because only it has a total", () => {
  const withTotal = operations.filter(({ responses }) => "x-total-count" in (responses[200]?.headers ?? {}));
  expect(withTotal.map(({ operationId }) => operationId)).toEqual(["MembersList"]);
});

describe("the links", () => {
  const links = operations.flatMap(({ responses }) =>
    Object.values(responses).flatMap(({ links: found = {} }) => Object.values(found)),
  );

  it("the links of a create operation lead to all operations on the record", () => {
    const ofCreation = operations.find(({ operationId }) => operationId === "BenefitsCreate")?.responses["201"]?.links;
    expect(ofCreation?.BenefitsShow?.parameters).toEqual({ id: "$response.body#/id" });
    expect(Object.keys(ofCreation ?? {})).toEqual(
      expect.arrayContaining(["BenefitsShow", "BenefitsUpdate", "BenefitsRemove", "BenefitsArchive"]),
    );
  });

  it("the links fill in every path parameter of an operation", () => {
    for (const { operationId, parameters } of links) {
      const target = operations.find((operation) => operation.operationId === operationId);
      const wanted = target?.parameters.filter((parameter) => parameter.in === "path").map(({ name }) => name);
      expect(Object.keys(parameters).toSorted()).toEqual(wanted?.toSorted());
    }
  });
});

describe("a breaking change", () => {
  const path = "/odis/v1/benefits/{id}";
  type Tree = { [name: string]: Tree };
  /**
   * Changes or removes a part of the document. Returns the breaking changes to the new document, and from it back to
   * the original.
   */
  function changed(place: readonly string[], value?: unknown) {
    const copy = structuredClone(document) as unknown as Tree;
    const parent = place.slice(0, -1).reduce((at, name) => at[name] ?? {}, copy);
    const [last = ""] = place.slice(-1);
    if (value === undefined) delete parent[last];
    else parent[last] = value as Tree;
    return { there: breakingChanges(document, copy), back: breakingChanges(copy, document) };
  }
  const of = (schema: string, ...place: string[]) => ["components", "schemas", schema, ...place];

  it("a document has no breaking changes from itself", () => {
    expect(breakingChanges(document, document)).toEqual([]);
  });

  it("a removed route is a breaking change, and a new one is not", () => {
    expect(changed(["paths", path, "delete"])).toEqual({ there: [`DELETE ${path} is gone`], back: [] });
  });

  it("a removed property of a response is a breaking change, and a new one is not", () => {
    const { there, back } = changed(of("Brand", "properties", "name"));
    expect(there).toContain("GET /odis/v1/producers/{producer_id}/brands/{id} 200 .name is gone");
    expect(back).toEqual([]);
  });

  it("a new required property of a body is a breaking change", () => {
    const required = of("BenefitCreate", "properties", "benefit", "required");
    expect(changed(required, ["name", "position"])).toEqual({
      there: ["POST /odis/v1/communities/{community_id}/benefits .benefit .position is required"],
      back: [],
    });
  });

  it("a tighter limit of a body and a new value in a response are breaking changes", () => {
    const tighter = changed(of("BlockRequest", "properties", "reason", "maxLength"), 10);
    expect(tighter.there).toEqual([expect.stringContaining(".reason has a tighter maxLength")]);
    expect(tighter.back).toEqual([]);
    const more = changed(of("RecordStatus", "enum"), ["active", "archived", "hidden"]);
    expect(more.there).toContain(`GET ${path} 200 .status has other values`);
  });

  it("a response field that becomes nullable is a breaking change", () => {
    const { there } = changed(of("Brand", "properties", "name", "type"), ["string", "null"]);
    expect(there).toContain("GET /odis/v1/producers/{producer_id}/brands/{id} 200 .name has another type");
  });
});
