import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";
import { awsCuts as cuts } from "./lean-sdk/aws.ts";

/**
 * Takes out of AWS's SDK what a function never runs. `test/tools/build/lean-sdk*.test.ts` show that what is left behaves
 * as the whole does. The build fails where a text to cut is no longer found, or found more often: then look at what the
 * SDK changed, and at why the cut was made.
 */
export const leanSdk: Plugin = {
  name: "lean-sdk",
  setup(esbuild) {
    const byFile = Map.groupBy(
      cuts.flatMap(({ why, edits }) => edits.map(([file, ...edit]) => ({ why, file, edit }))),
      ({ file }) => file,
    );
    const loaded = new Set<string>();
    const files = [...byFile.keys()].map((file) => file.replaceAll(/[/.]/g, "[$&]")).join("|");

    esbuild.onStart(() => loaded.clear());

    esbuild.onLoad({ filter: new RegExp(`/node_modules/(${files})$`) }, async ({ path }) => {
      const file = path.slice(path.lastIndexOf("/node_modules/") + "/node_modules/".length);
      loaded.add(file);
      let contents = await readFile(path, "utf8");
      for (const { why, edit } of byFile.get(file) ?? []) {
        const [find, put, times = 1] = edit;
        const found = (typeof find === "string" ? contents.split(find).slice(1) : (contents.match(find) ?? [])).length;
        if (found !== times)
          return { errors: [{ text: `Found ${found} times instead of ${times}: ${String(find)}\n${why}` }] };
        contents = contents.replaceAll(find, put);
      }
      return { contents, loader: file.endsWith(".json") ? "json" : "js" };
    });

    esbuild.onEnd(() => {
      const packages = new Set([...loaded].map(packageOf));
      const missing = [...byFile.keys()].filter((file) => packages.has(packageOf(file)) && !loaded.has(file));
      return { errors: missing.map((file) => ({ text: `Not part of the SDK any more: ${file}` })) };
    });
  },
};

const packageOf = (file: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? file;
