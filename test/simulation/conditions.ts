import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Mutant } from "./mutants.ts";

const root = join(import.meta.dirname, "../..");

/** A condition that always holds. */
const always = `{ anyOf: ["absent", "exists"] }`;

/**
 * Creates a mutant for each condition of a write in `lib`, which drops the condition, one for each attribute of a
 * condition with several, and one for each strongly consistent read.
 */
export function conditionMutants(): Mutant[] {
  const files = globSync("lib/**/*.ts", { cwd: root, exclude: ["lib/billing/refusals.ts"] });
  const conditions = files.toSorted().flatMap((file) => mutantsOf(file, readFileSync(join(root, file), "utf8")));
  return [...conditions, ...consistentReads];
}

const consistentReads = [
  "Key: key, ConsistentRead: true",
  "Keys: left, ConsistentRead: true",
  "{ ConsistentRead: !eventually }",
].map((find) => ({
  name: `lib/store/table.ts: ${find}, eventually consistent`,
  file: "lib/store/table.ts",
  find,
  replace: find.replace(/true|!eventually/, "false"),
}));

/** The mutants of the conditions in a source text. */
export function mutantsOf(file: string, source: string): Mutant[] {
  return Array.from(source.matchAll(/(?<!readonly )\bwhen: (?![A-Z])/g)).flatMap(({ index, 0: { length } }) => {
    const start = index + length;
    const condition = expressionAt(source, start);
    const write = /(?:put|update|delete|check): (?:(?!\b(?:put|update|delete|check): ).)*$/s;
    const [written = source.slice(index - 60, index)] = write.exec(source.slice(Math.max(0, index - 400), index)) ?? [];
    const mutant = (dropped: string, replace: string): Mutant => {
      const from = uniqueStart(source, start, condition);
      return {
        name: `${file}: ${written}without ${dropped}`.replace(/\s+/g, " "),
        file,
        find: source.slice(from, start + condition.length),
        replace: source.slice(from, start) + replace,
      };
    };
    return [
      mutant(condition, always),
      ...attributesOf(condition).map((attribute) => mutant(attribute, condition.replace(attribute, ""))),
    ];
  });
}

/** Splits a condition with several attributes into its attributes, each with the adjacent comma. */
function attributesOf(condition: string): string[] {
  const list = /\bis: (?:\{([^{}]*)\}|pick\(\w+, \[([^\]]*)\]\))/.exec(condition);
  const attributes = (list?.[1] ?? list?.[2] ?? "").split(/(?<=,)/).filter((attribute) => attribute.trim() !== "");
  return attributes.length > 1 ? attributes.map((attribute) => attribute.trim()) : [];
}

/** Returns the expression that begins at an index. It ends at a comma or a closing bracket. */
function expressionAt(source: string, start: number): string {
  let depth = 0;
  for (let end = start; end < source.length; end++) {
    const sign = source[end] ?? "";
    if (depth === 0 && ",})]".includes(sign)) return source.slice(start, end).trimEnd();
    if ("{[(".includes(sign)) depth++;
    if ("}])".includes(sign)) depth--;
  }
  throw new Error("A condition has no end");
}

/** Returns the last index from which the text up to the end of a condition occurs only once in a source. */
function uniqueStart(source: string, start: number, condition: string): number {
  for (let from = start; from >= 0; from--)
    if (source.split(source.slice(from, start + condition.length)).length === 2) return from;
  throw new Error("A source repeats itself");
}
