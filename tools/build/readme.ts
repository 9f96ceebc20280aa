import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { routes } from "#lib/contract/index.ts";
import { command, run } from "../command.ts";

const file = join(import.meta.dirname, "../../README.md");

const callers = {
  public: "anybody",
  optional: "anybody",
  user: "any user",
  owner: "owner, admin",
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
  return { current, expected: withPart(current, "routes", table) };
}

/** A text with what stands between its markers, `<!-- name -->` and `<!-- /name -->`, written anew. */
function withPart(text: string, name: string, part: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [head = ""] = text.split(start);
  const [, tail = ""] = text.split(end);
  return `${head}${start}\n${part}\n${end}${tail}`;
}

/** Writes a part of the README anew. */
export async function writePart(name: string, part: string): Promise<void> {
  await writeFile(file, withPart(await readFile(file, "utf8"), name, part));
}

if (import.meta.main) {
  const program = command("npm run readme", "Writes the route table of README.md from the contract.");
  await run(program.action(async () => writeFile(file, (await readme()).expected)));
}
