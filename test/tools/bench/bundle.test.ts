import { expect, it } from "vitest";
import { loadsOf } from "../../../tools/bench/bundle.ts";

const files = new Map([
  ["main.js", 'import{a as b}from"./shared.js";import"./effects.js";const plot=()=>import("./plot.js");'],
  ["shared.js", "export const a = 1;"],
  ["effects.js", ""],
  ["plot.js", 'import{c}from"./lines.js";import{a}from"./shared.js";'],
  ["lines.js", ""],
  ["styles.css", ""],
  ["unused.js", ""],
]);

it("a browser first loads the entry points and their static imports, and the rest on demand", () => {
  const { first, onDemand } = loadsOf(files, ["main.js", "styles.css"]);
  expect([...first].toSorted()).toEqual(["effects.js", "main.js", "shared.js", "styles.css"]);
  expect([...onDemand].toSorted()).toEqual(["lines.js", "plot.js"]);
});

it("loadsOf throws for an import of a file that is not in the bundle", () => {
  expect(() => loadsOf(new Map([["main.js", 'import"./gone.js";']]), ["main.js"])).toThrow("There is no file gone.js");
});
