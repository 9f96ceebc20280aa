import { SourceMap, type SourceMapPayload } from "node:module";
import { build, type Plugin } from "esbuild";
import { expect, it } from "vitest";
import { eager } from "../../../tools/build/eager.ts";
import { bundling } from "../../support/bundling.ts";

const source = `
  const exclaimed = (word, mark = (text) => text + "!") => mark(word);
  const asked = (word) => word + "?";
  export const later = async () => asked("later");
  const curried = (greeting) => async (name) => greeting + ", " + name;
  function declared(word) { return exclaimed(word); }
  class Greeting {
    "=>"(word) { return declared(word); }
    get greet() { return async word => await curried("Hi")(this["=>"](word)); }
  }
  export const greeted = await new Greeting().greet("Ann");`;

/** The bundle of a source, and its map. */
async function built(contents: string, ...plugins: Plugin[]) {
  const options = { ...bundling(contents), outfile: "dist/eager.mjs", write: false, logLevel: "silent" } as const;
  const { outputFiles } = await build({ ...options, plugins: [...(options.plugins ?? []), ...plugins] });
  const textOf = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))?.text ?? "";
  return { code: textOf(".mjs"), map: new SourceMap(JSON.parse(textOf(".map")) as SourceMapPayload) };
}

const [plain, hinted] = [await built(source), await built(source, eager)];

it.each([
  ["whose default value is also an arrow function", /\w=>\w\+"!"/],
  ["that is called with another one's result", /async \w=>await .*?\]\(\w\)\)/],
  ["that another one returns", /async \w=>\w\+", "\+\w/],
])("an arrow function that a bundle calls while it is loaded is in parentheses: one %s", (_, arrow) => {
  const [text = ""] = arrow.exec(plain.code) ?? [];
  expect(text).not.toBe("");
  expect(plain.code).not.toContain(`(${text})`);
  expect(hinted.code).toContain(`(${text})`);
});

it("arrow functions that are not called while a bundle is loaded, other functions and methods stay as they are", () => {
  for (const other of [/\w+=\w=>\w\+"\?"/, /\w+=async\(\)=>\w+\("later"\)/, /function \w+\(\w\)\{/, /[{;]"=>"\(\w\)\{/])
    expect(hinted.code).toContain(other.exec(plain.code)?.[0]);
});

it("a bundle with parentheses exports the same", async () => {
  const url = `data:text/javascript,${encodeURIComponent(hinted.code)}`;
  const { greeted, later } = (await import(/* @vite-ignore */ url)) as {
    greeted: string;
    later: () => Promise<string>;
  };
  expect([greeted, await later()]).toEqual(["Hi, Ann!", "later?"]);
});

it.each(['"!"', '"?"', '", "', '"later"', '"Hi"', '"Ann"'])(
  "the map of a bundle with parentheses says where %s is in the source",
  (text) => {
    const originIn = ({ code, map }: typeof plain) => {
      const line = code.split("\n").findIndex((one) => one.includes(text));
      return map.findEntry(line, code.split("\n")[line]?.indexOf(text) ?? -1);
    };
    const entry = originIn(hinted);
    const line = source.split("\n").findIndex((one) => one.includes(text));
    expect(entry).toMatchObject({ originalLine: line, originalColumn: source.split("\n")[line]?.indexOf(text) });
  },
);

it("a build fails if a bundle cannot be loaded", async () => {
  await expect(built('throw new Error("No bundle can do without it")', eager)).rejects.toThrow(
    "No bundle can do without it",
  );
});
