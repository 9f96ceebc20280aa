import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Mutant, SourceChange } from "./mutants.ts";

const root = join(import.meta.dirname, "../..");

/** A mutant without a condition or without one attribute of a condition. */
export type ConditionMutant = Mutant & {
  /** The label of the condition. Undefined for reads. */
  readonly label?: string;
  /** The histories in which `decisive` returns this name are the only ones that can detect the mutant. */
  readonly decisiveAs?: string;
};

/** A condition that always holds, or that holds for each item with attributes if the condition was about attributes. */
const withoutCondition = (condition: string): string =>
  condition.startsWith("{ is:") ? `"exists"` : `{ anyOf: ["absent", "exists"] }`;

/**
 * Creates a mutant for each condition of a write in `lib`, which drops the condition, one for each attribute of a
 * condition with several, and one for each strongly consistent read.
 */
export function conditionMutants(): ConditionMutant[] {
  const conditions = filesWithConditions().flatMap((file) => mutantsOf(file, readFileSync(join(root, file), "utf8")));
  return [...conditions, ...consistentReads];
}

/** In the files that are left out, `when` is something else. */
export const filesWithConditions = () =>
  globSync("lib/**/*.ts", {
    cwd: root,
    exclude: ["lib/billing/**", "lib/domain/**", "lib/fields/**", "lib/store/write.ts"],
  }).toSorted();

/** Changes that label each condition, so that the writes which `lib/store/write.ts` receives have the labels. */
export const labels = (): SourceChange[] =>
  filesWithConditions().map((file) => ({ file, change: (source) => labelled(file, source) }));

/** Gives the labels to the commands that are sent to the table. */
export const labelsInCommands: SourceChange = {
  file: "lib/store/write.ts",
  change: (source) =>
    source
      .replace("{ ConditionExpression };", "{ ConditionExpression, label: item.label };")
      .replace("Key, ConditionExpression,", "$& label: item.label,"),
};

/** A source text in which each condition of a write is followed by a property with its name. */
export function labelled(file: string, source: string): string {
  const starts = startsOf(source);
  const label = (n: number) => `, label: ${JSON.stringify(nameOf(file, n))}`;
  const isDeclared = (start: number) => source.slice(0, start).endsWith("= ");
  const inPlace = starts.flatMap((start, n) =>
    isDeclared(start) ? [] : [{ at: start + expressionAt(source, start).length, text: label(n) }],
  );
  const declared = Array.from(source.matchAll(/(?<=[{,]\s*)when(?=\s*[,}])/g), ({ index }) => ({
    at: index + "when".length,
    text: label(starts.findLastIndex((start) => isDeclared(start) && start < index)),
  }));
  return [...inPlace, ...declared]
    .toSorted((one, other) => other.at - one.at)
    .reduce((text, { at, text: added }) => text.slice(0, at) + added + text.slice(at), source);
}

const nameOf = (file: string, n: number): string => `${file} ${n}`;

/** The indices at which conditions of writes begin, in an object or as the value of a constant. */
const startsOf = (source: string): number[] =>
  Array.from(
    source.matchAll(/(?:(?<!readonly )\bwhen: |const when = )(?![A-Z])/g),
    ({ index, 0: { length } }) => index + length,
  );

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
export function mutantsOf(file: string, source: string): ConditionMutant[] {
  return startsOf(source).flatMap((start, n) => {
    const condition = expressionAt(source, start);
    const index = source.lastIndexOf("when", start);
    const write = /(?:put|update|delete|check): (?:(?!\b(?:put|update|delete|check): ).)*$/s;
    const [written = source.slice(index - 60, index)] = write.exec(source.slice(Math.max(0, index - 400), index)) ?? [];
    const mutant = (dropped: string, replace: string, attribute?: string): ConditionMutant => {
      const from = uniqueStart(source, start, condition);
      return {
        name: `${file}: ${written}without ${dropped}`.replace(/\s+/g, " "),
        file,
        find: source.slice(from, start + condition.length),
        replace: source.slice(from, start) + replace,
        label: nameOf(file, n),
        decisiveAs: [nameOf(file, n), ...(attribute ? [attribute] : [])].join(" "),
      };
    };
    return [
      mutant(condition, withoutCondition(condition)),
      ...attributesOf(condition).map((attribute) =>
        mutant(attribute, condition.replace(attribute, ""), /\w+/.exec(attribute)?.[0]),
      ),
    ];
  });
}

/** Splits a condition with several attributes into its attributes, each with the adjacent comma. */
function attributesOf(condition: string): string[] {
  const list = /\bis: (?:\{([^{}]*)\}|pick\(\w+, \[([^\]]*)\]\))/.exec(condition);
  const attributes = (list?.[1] ?? list?.[2] ?? "").split(/(?<=,)/).filter((attribute) => attribute.trim() !== "");
  return attributes.length > 1 ? attributes.map((attribute) => attribute.trim()) : [];
}

/** Returns the expression that begins at an index. It ends at a comma, a semicolon or a closing bracket. */
function expressionAt(source: string, start: number): string {
  let depth = 0;
  for (let end = start; end < source.length; end++) {
    const sign = source[end] ?? "";
    if (depth === 0 && ",;})]".includes(sign)) return source.slice(start, end).trimEnd();
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
