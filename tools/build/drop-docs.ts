import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { Plugin } from "esbuild";
import MagicString from "magic-string";
import { type Node, parseSync, Visitor } from "oxc-parser";

/**
 * Puts schemas and routes into functions without what only documents read: the fields given to `documented`,
 * `v.metadata`, values and properties named `…Docs`, and `summary` and `description` of routes and events.
 *
 * esbuild keeps these by itself, since all of them are arguments of calls or parts of objects in use.
 */
export const dropDocs: Plugin = {
  name: "drop-docs",
  setup(esbuild) {
    esbuild.onLoad({ filter: /[/\\]lib[/\\](domain|contract)[/\\][\w-]+\.ts$/ }, ({ path }) => ({
      contents: withoutDocs(readFileSync(path, "utf8"), path),
      loader: "ts",
    }));
  },
};

/** The source of a module without its documentation, and a source map at its end. */
export function withoutDocs(source: string, path: string): string {
  const { program, errors } = parseSync(path, source);
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`);
  const isContract = /[/\\]contract[/\\]/.test(path);
  const found: { readonly start: number; readonly end: number; readonly by: string }[] = [];
  const replace = ({ start, end }: Node, by: string) => found.push({ start, end, by });
  const removeArgument = (before: Node, { end }: Node) => found.push({ start: before.end, end, by: "" });
  new Visitor({
    CallExpression({ callee, arguments: args }) {
      for (const [n, argument] of args.entries()) {
        const before = args[n - 1];
        const isFields = nameOf(callee) === "documented";
        const isMetadata = argument.type === "CallExpression" && nameOf(argument.callee) === "metadata";
        if (before && (isFields || isMetadata)) removeArgument(before, argument);
      }
    },
    VariableDeclarator({ id, init }) {
      if (init && nameOf(id)?.endsWith("Docs")) replace(init, "0");
    },
    Property({ key, value }) {
      const name = nameOf(key) ?? "";
      if (name.endsWith("Docs") || (isContract && (name === "summary" || name === "description"))) replace(value, "0");
    },
  }).visit(program);

  const text = new MagicString(source);
  // What lies within a part that goes, goes with it.
  const outermost = found.filter((one) => !found.some((other) => other.start <= one.start && other.end > one.end));
  for (const { start, end, by } of outermost) text.update(start, end, by);
  return `${text.toString()}\n//# sourceMappingURL=${text.generateMap({ source: basename(path), hires: "boundary" }).toUrl()}`;
}

const nameOf = (node: Node): string | undefined =>
  node.type === "Identifier" ? node.name : node.type === "MemberExpression" ? nameOf(node.property) : undefined;
