import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { routes } from "#lib/contract/index.ts";
import { breakingChanges } from "../../../tools/build/openapi/breaking.ts";
import { descriptions } from "../../../tools/build/openapi/descriptions.ts";
import { openapi } from "../../../tools/build/openapi/document.ts";
import { examples } from "../../../tools/build/openapi/examples.ts";
import { problemTexts } from "../../../tools/build/openapi/problem-texts.ts";
import { operationTexts, tagTexts } from "../../../tools/build/openapi/texts.ts";

type Schema = {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly examples?: readonly unknown[];
};
type Link = { readonly operationId: string; readonly parameters: Readonly<Record<string, string>> };
type Operation = {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, { readonly links?: Readonly<Record<string, Link>> }>>;
};

const document = openapi();
const schemas = document.components.schemas as Readonly<Record<string, Schema>>;
const operations = Object.values(document.paths).flatMap((byMethod) => Object.values(byMethod) as Operation[]);

/** The JSON Schema of a component, with all that it refers to. */
const ajv = new Ajv2020({ strict: false, formats: { int64: true, uri: true, uuid: true, "date-time": true } });
ajv.addSchema({ $id: "odis", components: document.components });
const errorsOf = (name: string, value: unknown) => {
  const validate = ajv.compile({ $ref: `odis#/components/schemas/${name}` });
  return validate(value) ? [] : validate.errors;
};

describe("the examples", () => {
  it.each(Object.entries(examples))("%s is as its schema says", (name, example) => {
    expect(errorsOf(name, example)).toEqual([]);
  });

  it("cover every body and every answer", () => {
    const given = [...JSON.stringify(document.paths).matchAll(/#\/components\/schemas\/(\w+)/g)].map(
      ([, name]) => name,
    );
    expect(given.filter((name = "") => !(name in examples))).toEqual([]);
  });

  it("of every problem are problem documents", () => {
    const all = Object.values(document.components.responses).flatMap(({ content }) =>
      Object.values(content["application/problem+json"].examples),
    );
    expect(all.flatMap(({ value }) => errorsOf("Problem", value))).toEqual([]);
  });
});

describe("the texts", () => {
  const at = (schema: Schema | undefined, [name, ...rest]: readonly string[]): Schema | undefined => {
    const inner = schema?.items ?? schema?.anyOf?.find(({ properties, items }) => properties ?? items) ?? schema;
    const found = inner?.properties ?? inner?.items?.properties;
    return name === undefined ? schema : at(found?.[name], rest);
  };
  const parametersOf = (name: string) =>
    routes
      .filter(({ query }) => query && name.endsWith("Query"))
      .flatMap(({ id }) => operations.find(({ operationId }) => operationId === id)?.parameters ?? [])
      .map((parameter) => parameter.name);

  it("describe nothing that is not there", () => {
    const described = Object.entries(descriptions).flatMap(([name, texts]) =>
      Object.keys(texts).map((path) => ({ name, path })),
    );
    const stray = described.filter(
      ({ name, path }) => !at(schemas[name], path.split(".")) && !parametersOf(name).includes(path),
    );
    expect(stray).toEqual([]);
  });

  it("are of operations and areas that there are", () => {
    const ids = routes.map(({ id }) => id);
    expect(Object.keys(operationTexts).filter((id) => !ids.includes(id))).toEqual([]);
    expect(Object.keys(tagTexts).toSorted()).toEqual([...new Set(routes.map(({ area }) => area))].toSorted());
  });

  it("are no part of any function", () => {
    const bundle = readFileSync("dist/members/show/index.mjs", "utf8");
    expect(bundle).not.toContain(problemTexts.forbidden.todo);
    expect(bundle).not.toContain("Whether the member is blocked");
  });
});

describe("the links", () => {
  const links = operations.flatMap(({ responses }) =>
    Object.values(responses).flatMap(({ links: found = {} }) => Object.values(found)),
  );

  it("lead from the creation of a record to all that is done with it", () => {
    const ofCreation = operations.find(({ operationId }) => operationId === "BenefitsCreate")?.responses["201"]?.links;
    expect(ofCreation?.BenefitsShow?.parameters).toEqual({ id: "$response.body#/id" });
    expect(Object.keys(ofCreation ?? {})).toEqual(
      expect.arrayContaining(["BenefitsShow", "BenefitsUpdate", "BenefitsRemove", "BenefitsArchive"]),
    );
  });

  it("fill in every parameter of the path of an operation", () => {
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
  /** What is found where a part of the document is another, or gone; and on the way back. */
  function changed(place: readonly string[], value?: unknown) {
    const copy = structuredClone(document) as unknown as Tree;
    const parent = place.slice(0, -1).reduce((at, name) => at[name] ?? {}, copy);
    const [last = ""] = place.slice(-1);
    if (value === undefined) delete parent[last];
    else parent[last] = value as Tree;
    return { there: breakingChanges(document, copy), back: breakingChanges(copy, document) };
  }
  const of = (schema: string, ...place: string[]) => ["components", "schemas", schema, ...place];

  it("is none between a document and itself", () => {
    expect(breakingChanges(document, document)).toEqual([]);
  });

  it("is a route that is gone, and not one that is new", () => {
    expect(changed(["paths", path, "delete"])).toEqual({ there: [`DELETE ${path} is gone`], back: [] });
  });

  it("is a property that an answer no longer has, and not one that is new", () => {
    const { there, back } = changed(of("Brand", "properties", "name"));
    expect(there).toContain("GET /odis/v1/producers/{producer_id}/brands/{id} 200 .name is gone");
    expect(back).toEqual([]);
  });

  it("is a property that a body must have from now on", () => {
    const required = of("BenefitCreate", "properties", "benefit", "required");
    expect(changed(required, ["name", "position"])).toEqual({
      there: ["POST /odis/v1/communities/{community_id}/benefits .benefit .position is required"],
      back: [],
    });
  });

  it("is a tighter limit of a body, and a value that answers did not have before", () => {
    const tighter = changed(of("BlockRequest", "properties", "reason", "maxLength"), 10);
    expect(tighter.there).toEqual([expect.stringContaining(".reason has a tighter maxLength")]);
    expect(tighter.back).toEqual([]);
    const more = changed(of("Benefit", "properties", "status", "enum"), ["active", "archived", "hidden"]);
    expect(more.there).toContain(`GET ${path} 200 .status has other values`);
  });

  it("is an answer that may be null from now on", () => {
    const { there } = changed(of("Brand", "properties", "name", "type"), ["string", "null"]);
    expect(there).toContain("GET /odis/v1/producers/{producer_id}/brands/{id} 200 .name has another type");
  });
});
