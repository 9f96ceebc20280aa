import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Metafile } from "esbuild";
import { describe, expect, it } from "vitest";
import { routes } from "#lib/contract/index.ts";

const { outputs } = JSON.parse(readFileSync("dist/meta.json", "utf8")) as Metafile;

describe.each(routes)("$area $name", ({ area, file, key }) => {
  const folder = `dist/${area}/${file}`;
  const bundle = readFileSync(`${folder}/index.mjs`, "utf8");

  it("carries its own route and no other", () => {
    const carried = routes.filter((route) => bundle.includes(`method:"${route.method}",path:"${route.path}"`));
    expect(carried.map(({ key }) => key)).toEqual([key]);
  });

  it("imports nothing when it loads: not what is not there, nor Node's `http`, which is slow as an ES module", () => {
    const imports = outputs[`${folder}/index.mjs`]?.imports ?? [];
    expect(imports.filter(({ kind }) => kind === "import-statement")).toEqual([]);
  });

  it("is deployed alone, without its source map", () => {
    expect(readdirSync(folder)).toEqual(["index.mjs"]);
    expect(bundle).not.toContain("sourceMappingURL");
    expect(existsSync(`dist/maps/${area}/${file}/index.mjs.map`)).toBe(true);
  });
});

it("has a function for every route and a route for every function", () => {
  const functions = globSync("functions/*/*.ts").map((path) => path.slice("functions/".length, -".ts".length));
  const ofRoutes = functions.filter((place) => !place.startsWith("triggers/"));
  expect(ofRoutes.toSorted()).toEqual(routes.map(({ area, file }) => `${area}/${file}`).toSorted());
});

it("bundles every trigger", () => {
  const triggers = globSync("functions/triggers/*.ts").map((path) => basename(path, ".ts"));
  expect(readdirSync("dist/triggers").toSorted()).toEqual(triggers.toSorted());
});
