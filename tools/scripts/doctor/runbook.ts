import { readFileSync } from "node:fs";
import { join } from "node:path";

const operations = join(import.meta.dirname, "../../../docs/operations.md");

/** Returns the first command in the section of an alarm in `docs/operations.md`, as one line and for a stage. */
export function commandOf(section: string, stage: string): string {
  const [, text = ""] = readFileSync(operations, "utf8").split(`\n### ${section}\n`);
  // A command ends with the first line break that is neither escaped nor inside single quotes.
  const [, command] = /^[^]*?\n```sh\n((?:'[^']*'|\\\n|[^'\n])*)/.exec(text.split("\n### ")[0] ?? "") ?? [];
  return (command ?? `npm run logs -- --stage prod Errors`)
    .replaceAll(/\s*\\?\n\s*/g, " ")
    .replaceAll("--stage prod", `--stage ${stage}`);
}
