import { execFile } from "node:child_process";
import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { basename, resolve } from "node:path";
import { promisify } from "node:util";
import type { Metafile } from "esbuild";
import { describe, expect, it } from "vitest";
import { routes } from "#lib/contract/index.ts";

const { outputs } = JSON.parse(readFileSync("dist/meta.json", "utf8")) as Metafile;

describe.each(routes)("$area $name", ({ area, file, key }) => {
  const folder = `dist/${area}/${file}`;
  const bundle = readFileSync(`${folder}/index.mjs`, "utf8");

  it("the bundle contains its own route and no other", () => {
    const carried = routes.filter((route) => bundle.includes(`method:"${route.method}",path:"${route.path}"`));
    expect(carried.map((route) => route.key)).toEqual([key]);
  });

  it("the bundle has no static imports, which would fail or be slow like Node's `http`", () => {
    const imports = outputs[`${folder}/index.mjs`]?.imports ?? [];
    expect(imports.filter(({ kind }) => kind === "import-statement")).toEqual([]);
  });

  it("the folder of the bundle contains no source map", () => {
    expect(readdirSync(folder)).toEqual(["index.mjs"]);
    expect(bundle).not.toContain("sourceMappingURL");
    expect(existsSync(`dist/maps/${area}/${file}/index.mjs.map`)).toBe(true);
  });
});

it("every route has a function, and every function has a route", () => {
  const functions = globSync("functions/*/*.ts").map((path) => path.slice("functions/".length, -".ts".length));
  const ofRoutes = functions.filter((place) => !place.startsWith("triggers/"));
  expect(ofRoutes.toSorted()).toEqual(routes.map(({ area, file }) => `${area}/${file}`).toSorted());
});

it("every trigger has a bundle", () => {
  const triggers = globSync("functions/triggers/*.ts").map((path) => basename(path, ".ts"));
  expect(readdirSync("dist/triggers").toSorted()).toEqual(triggers.toSorted());
});

it.each(["members/show", "members/issue-refund"])(
  "%s loads no Node.js module that slows its cold start",
  async (place) => {
    const code = `await import(process.argv[1]); console.log(process.moduleLoadList.join("\\n"));`;
    const bundle = resolve("dist", place, "index.mjs");
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", code, bundle]);
    const loaded = stdout.split("\n").map((line) => line.replace("NativeModule ", ""));
    expect(loaded).toContain("https");
    const slow = ["internal/deps/undici/undici", "internal/fs/streams", "internal/webstreams/readablestream", "http2"];
    expect(loaded.filter((name) => slow.includes(name))).toEqual([]);
  },
);
