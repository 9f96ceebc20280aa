import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { parse } from "@babel/parser";
import type { Plugin } from "esbuild";
import { walk } from "estree-walker";
import MagicString from "magic-string";

/**
 * Removes documentation from the bundles: the fields of `documented`, `v.metadata`, values and properties named
 * `…Docs`, and `summary` and `description` of routes and events. esbuild would keep them, because they are arguments of
 * calls or parts of objects in use.
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

/** Returns the source of a module without its documentation, with a source map at its end. */
export function withoutDocs(source: string, path: string): string {
  const text = new MagicString(source);
  // Nested parts are removed with the outer one.
  const dropped = partsToDrop(source, /[/\\]contract[/\\]/.test(path));
  const outermost = dropped.filter(
    (part) => !dropped.some((other) => other.start <= part.start && other.end > part.end),
  );
  for (const { start, end, by } of outermost) text.update(start, end, by);
  return `${text.toString()}\n//# sourceMappingURL=${text.generateMap({ source: basename(path), hires: "boundary" }).toUrl()}`;
}

type Part = { readonly start: number; readonly end: number; readonly by: string };

/** The properties of a syntax tree's node that are used here (https://github.com/estree/estree). */
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

/** The arguments of `documented(…)` after the schema, and each `v.metadata(…)` after another argument. */
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
