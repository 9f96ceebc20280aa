import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { routes } from "#lib/contract/index.ts";

const file = join(import.meta.dirname, "../README.md");
const [start, end] = ["<!-- routes -->", "<!-- /routes -->"];

const callers = {
  public: "anybody",
  optional: "anybody",
  user: "any user",
  editor: "editor, admin",
  admin: "admin",
} as const;

/** The README with its route table as the contract has it now. */
export async function readme(): Promise<{ readonly current: string; readonly expected: string }> {
  const current = await readFile(file, "utf8");
  const rows = routes
    .filter(({ path }) => path !== "$default")
    .map(({ method, path, summary, access, area, file: name }) => {
      const source = `functions/${area}/${name}.ts`;
      return `| ${method} | \`${path}\` | ${summary} | ${callers[access]} | [${area}/${name}](${source}) |`;
    });
  const table = ["| | path | what it does | token | function |", "|---|---|---|---|---|", ...rows].join("\n");
  const [head = ""] = current.split(start);
  const [, tail = ""] = current.split(end);
  return { current, expected: `${head}${start}\n${table}\n${end}${tail}` };
}

if (import.meta.main) await writeFile(file, (await readme()).expected);
