import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { parse } from "@babel/parser";
import type { Plugin } from "esbuild";
import { walk } from "estree-walker";
import MagicString from "magic-string";

/**
 * Puts schemas and routes into functions without what only documents read: the fields given to `documented`,
 * `v.metadata`, values and properties named `…Docs`, and `summary` and `description` of routes and events.
 *
 * esbuild keeps these by itself, since all of them are arguments of calls or parts of objects in use.
 */
export const dropDocs: Plugin = {
  name: "drop-docs",
  setup(esbuild) {
    esbuild.onLoad({ filter: /[/\\]lib[/\\](values|fields|domain|contract)[/\\][\w-]+\.ts$/ }, ({ path }) => ({
      contents: withoutDocs(readFileSync(path, "utf8"), path),
      loader: "ts",
    }));
  },
};

/** The source of a module without its documentation, and a source map at its end. */
export function withoutDocs(source: string, path: string): string {
  const text = new MagicString(source);
  // What lies within a part that goes, goes with it.
  const found = partsToDrop(source, /[/\\]contract[/\\]/.test(path));
  const outermost = found.filter((one) => !found.some((other) => other.start <= one.start && other.end > one.end));
  for (const { start, end, by } of outermost) text.update(start, end, by);
  return `${text.toString()}\n//# sourceMappingURL=${text.generateMap({ source: basename(path), hires: "boundary" }).toUrl()}`;
}

type Part = { readonly start: number; readonly end: number; readonly by: string };

/** What is looked at of a node of the syntax tree (https://github.com/estree/estree). */
type Node = {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly name?: string;
  readonly property?: Node;
  readonly callee: Node;
  readonly arguments: readonly Node[];
  readonly id: Node;
  readonly init?: Node;
  readonly key: Node;
  readonly value: Node;
};

function partsToDrop(source: string, isContract: boolean): Part[] {
  const parts: Part[] = [];
  const replace = ({ start, end }: Node, by: string) => parts.push({ start, end, by });
  const { program } = parse(source, { sourceType: "module", plugins: ["typescript", "estree"] });
  walk(program as never, {
    enter(visited) {
      const node = visited as unknown as Node;
      if (node.type === "CallExpression") parts.push(...argumentsToDrop(node));
      if (node.type === "VariableDeclarator" && node.init && nameOf(node.id)?.endsWith("Docs")) replace(node.init, "0");
      if (node.type !== "Property") return;
      const name = nameOf(node.key) ?? "";
      const isText = isContract && (name === "summary" || name === "description");
      if (isText || name.endsWith("Docs")) replace(node.value, "0");
    },
  });
  return parts;
}

/** What follows the schema in `documented(…)`, and every `v.metadata(…)` that follows another argument. */
function argumentsToDrop(call: Node): Part[] {
  const isDocumented = nameOf(call.callee) === "documented";
  return call.arguments.flatMap((argument, n) => {
    const before = call.arguments[n - 1];
    const isMetadata = argument.type === "CallExpression" && nameOf(argument.callee) === "metadata";
    return before && (isDocumented || isMetadata) ? [{ start: before.end, end: argument.end, by: "" }] : [];
  });
}

const nameOf = (node: Node | undefined): string | undefined =>
  node?.type === "Identifier" ? node.name : node?.type === "MemberExpression" ? nameOf(node.property) : undefined;
