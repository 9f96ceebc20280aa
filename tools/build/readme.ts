import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { events } from "#lib/contract/events.ts";
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

/** The README with its tables as the contract has them now. */
export async function readme(): Promise<{ readonly current: string; readonly expected: string }> {
  const current = await readFile(file, "utf8");
  return { current, expected: withPart(withPart(current, "routes", routeTable()), "events", eventTable()) };
}

function routeTable(): string {
  const rows = routes
    .filter(({ path }) => path !== "$default")
    .map(({ method, path, summary, access, area, file: name }) => {
      const source = `functions/${area}/${name}.ts`;
      return `| ${method} | \`${path}\` | ${summary} | ${callers[access]} | [${area}/${name}](${source}) |`;
    });
  return ["| | path | what it does | token | function |", "|---|---|---|---|---|", ...rows].join("\n");
}

function eventTable(): string {
  const rows = Object.entries(events).map(([type, { summary }]) => `| \`${type}\` | ${summary} |`);
  return ["| event | when it is sent |", "|---|---|", ...rows].join("\n");
}

/**
 * A text with a new part between its markers, `<!-- name -->` and `<!-- /name -->`.
 *
 * @throws Error where it has no such markers
 */
function withPart(text: string, name: string, part: string): string {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`README.md has no ${start} … ${end}`);
  return `${text.slice(0, from)}${start}\n${part}\n${text.slice(to)}`;
}

/** Writes a part of the README anew. */
export async function writePart(name: string, part: string): Promise<void> {
  await writeFile(file, withPart(await readFile(file, "utf8"), name, part));
}

if (import.meta.main) {
  const program = command("npm run readme", "Writes the tables of routes and events in README.md from the contract.");
  await run(program.action(async () => writeFile(file, (await readme()).expected)));
}
