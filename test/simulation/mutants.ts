import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as v from "valibot";

const root = join(import.meta.dirname, "../..");

/** A change that makes the code wrong: a text of a file and its replacement, and possibly further changes. */
const Change = v.strictObject({ file: v.string(), find: v.string(), replace: v.string() });
const Mutant = v.strictObject({
  name: v.string(),
  ...Change.entries,
  and: v.optional(v.array(Change), []),
  /** The kind of histories that detect the mutant. */
  kind: v.optional(v.picklist(["days", "months", "upgrade"]), "days"),
  /** Pairs of acts and triggers whose races detect the mutant. Other histories detect it too rarely. */
  pairs: v.optional(v.array(v.string())),
});
export type Mutant = v.InferInput<typeof Mutant>;

/** @throws Error for a mutant whose text does not occur exactly once */
export function readMutants(file: string): v.InferOutput<typeof Mutant>[] {
  const mutants = v.parse(v.array(Mutant), JSON.parse(readFileSync(file, "utf8")));
  for (const { name, and, kind: _, pairs: __, ...first } of mutants)
    for (const { file: changed, find } of [first, ...and]) {
      const found = readFileSync(join(root, changed), "utf8").split(find).length - 1;
      if (found !== 1) throw new Error(`The text of mutant "${name}" is ${found} times in ${changed}, not once`);
    }
  return mutants;
}

/** A change to the source text of a file. */
export type SourceChange = { readonly file: string; readonly change: (source: string) => string };

export const changesOf = ({ and = [], ...first }: Mutant): SourceChange[] =>
  [first, ...and].map(({ file, find, replace }) => ({ file, change: (source) => source.replace(find, () => replace) }));

/** Changes the sources of all files that are loaded afterwards. */
export function applyChanges(changes: readonly SourceChange[]): void {
  for (const { file, change } of changes) {
    const changed = pathToFileURL(join(root, file)).href;
    registerHooks({
      load(url, context, nextLoad) {
        const loaded = nextLoad(url, context);
        if (url !== changed || !loaded.source) return loaded;
        return { ...loaded, source: change(textOf(loaded.source)) };
      },
    });
  }
}

const textOf = (source: string | ArrayBuffer | NodeJS.TypedArray): string =>
  typeof source === "string" ? source : new TextDecoder().decode(source);
