import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Row, readRows } from "../../../client/cli/csv.ts";
import { UsageError } from "../../../client/cli/failures.ts";
import { temporaryFolder } from "../../support/set-up.ts";

const folder = temporaryFolder();
const columns = [
  { name: "name", path: ["name"], as: "text", isKept: false },
  { name: "tier_id", path: ["tier_id"], as: "json", isKept: false },
  { name: "is_blocked", path: ["is_blocked"], as: "json", isKept: false },
] as const;

async function rowsOf(name: string, content: string | Buffer) {
  const file = join(folder, name);
  await writeFile(file, content);
  const rows: Row[] = [];
  for await (const row of readRows(file, columns)) rows.push(row);
  return rows;
}

it("a line of JSON Lines ends only at a line feed, with or without a carriage return before it", async () => {
  const record = { name: "Likes mezcal.\u2028Lives in Oaxaca.\u2029\u0085" };
  const refused = { line: 7, errors: [], record };
  const content = `${JSON.stringify(record)}\r\n\n${JSON.stringify(refused)}\n{"cut\r\n${JSON.stringify(record)}`;
  expect(await rowsOf("separators.jsonl", content)).toEqual([
    { line: 1, record },
    { line: 3, record },
    { line: 4, record: undefined, error: expect.stringContaining("JSON") as string, text: '{"cut' },
    { line: 5, record },
  ]);
});

it.each([
  ["csv", (name: string) => `name\r\n${name}\r\n`],
  ["jsonl", (name: string) => `${JSON.stringify({ name })}\n`],
])(
  "a .%s file is read in UTF-8 with or without a byte order mark, and in UTF-16, also if a chunk ends within a character",
  async (ending, contentOf) => {
    const name = `a${"ë".repeat(100_000)}`;
    const contents = [contentOf(name), `\uFEFF${contentOf(name)}`, Buffer.from(`\uFEFF${contentOf(name)}`, "utf16le")];
    for (const content of contents)
      expect(await rowsOf(`long.${ending}`, content)).toMatchObject([{ record: { name } }]);
  },
);

it.each([
  ["CSV in Windows-1252", "old.csv", Buffer.from("name\r\nZo\xeb\r\n", "latin1")],
  ["JSON Lines that end within a character", "cut.jsonl", Buffer.from('{"name":"Zo\xc3', "latin1")],
])("a file that is not in UTF-8 is refused: %s", async (_, name, content) => {
  const refusal = new UsageError(`${join(folder, name)} is not in UTF-8. Save it in UTF-8, and import it again`);
  await expect(rowsOf(name, content)).rejects.toThrow(refusal);
});

it("true and false are read from a CSV file in any case, as spreadsheets write them", async () => {
  const rows = await rowsOf("spreadsheet.csv", "tier_id,is_blocked\n11,TRUE\n11,False\n");
  expect(rows).toMatchObject([{ record: { is_blocked: true } }, { record: { is_blocked: false } }]);
});

it("a CSV cell that is not the JSON of its column is kept as text, so that the API's schema names its field", async () => {
  expect(await rowsOf("words.csv", "tier_id,is_blocked\neleven,yes\n")).toEqual([
    { line: 2, record: { tier_id: "eleven", is_blocked: "yes" } },
  ]);
});
