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

it("a number with an exponent in a CSV file is kept as text, because a spreadsheet wrote it without its last digits", async () => {
  const rows = await rowsOf("exponents.csv", "name,tier_id\nAna,1.20074E+14\nBea,1e3\nCleo,120074123456789\n");
  expect(rows.map(({ record }) => record)).toEqual([
    { name: "Ana", tier_id: "1.20074E+14" },
    { name: "Bea", tier_id: "1e3" },
    { name: "Cleo", tier_id: 120_074_123_456_789 },
  ]);
});

it.each([
  ["a comma", 'name,"a;;b",tier_id\r\nAna,,11\r\n'],
  ["a semicolon, with a comma in the header", 'name;"a, b";tier_id\r\nAna;;11\r\n'],
  ["a tab", "name\ttier_id\r\nAna\t11\r\n"],
  ["a semicolon that a first line names in capitals", "SEP=;\r\nname;tier_id\r\nAna;11\r\n"],
  ["a semicolon that a first line names", "\uFEFFsep=;\r\nname;tier_id\r\nAna;11\r\n"],
])("a CSV file may be separated by %s", async (_, content) => {
  expect(await rowsOf("separated.csv", content)).toMatchObject([{ record: { name: "Ana", tier_id: 11 } }]);
  expect(await rowsOf("wide.csv", Buffer.from(`\uFEFF${content.replace(/^\uFEFF/, "")}`, "utf16le"))).toMatchObject([
    { record: { name: "Ana", tier_id: 11 } },
  ]);
});

it("blank lines of a CSV file, and rows of empty cells, are no rows, and others keep their line numbers", async () => {
  expect(await rowsOf("blank.csv", "sep=,\r\nname,tier_id\r\n\r\nAna,11\r\n,\r\nBea,12\r\n\r\n")).toEqual([
    { line: 4, record: { name: "Ana", tier_id: 11 } },
    { line: 6, record: { name: "Bea", tier_id: 12 } },
  ]);
});

it("a CSV file with two columns of one name is refused, and columns without a name are not", async () => {
  const file = join(folder, "repeated.csv");
  await expect(rowsOf("repeated.csv", "name,tier_id,tier_id\nAna,11,12\n")).rejects.toThrow(
    new UsageError(`${file} has two columns with the name tier_id. Rename or remove one of them`),
  );
  expect(await rowsOf("nameless.csv", "name,,\nAna,,\n")).toEqual([{ line: 2, record: { name: "Ana" } }]);
});
