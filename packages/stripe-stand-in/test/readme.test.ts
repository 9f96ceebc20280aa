import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { routes } from "../src/core/routes.ts";

const verbs: Readonly<Record<string, string>> = {
  POST: "create",
  GET: "list",
  "GET account": "retrieve",
  "GET :id": "retrieve",
  "POST :id": "update",
  "DELETE :id": "delete",
};

it("the README lists every route, and no others", () => {
  const rows = Map.groupBy(routes, ({ path }) => /^\/v1\/(.*?)(?:\/:id.*)?$/.exec(path)?.[1] ?? "");
  const expected = Array.from(rows, ([resource, own]) => {
    const words = own.map(({ method, path }) => {
      const [, id, action] = /(:id)?(?:\/(\w+))?$/.exec(path.slice(`/v1/${resource}/`.length)) ?? [];
      return action ?? verbs[`${method} ${resource}`] ?? verbs[id ? `${method} ${id}` : method];
    });
    return `| \`${resource}\` | ${[...new Set(words)].join(", ")} |`;
  });
  const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");
  const [, table = ""] = /\| resource under `\/v1` \| routes \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(readme) ?? [];
  expect(table.trimEnd().split("\n")).toEqual(expected);
});
