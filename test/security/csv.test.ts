import { parse } from "csv-parse/sync";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { csvLine, guarded, unguarded } from "#lib/domain/csv.ts";

const dangerous = [
  ["=1+1", "'=1+1"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["＝1", "'＝1"],
  ["＋1", "'＋1"],
  ["－1", "'－1"],
  ["＠x", "'＠x"],
  [" =1", "' =1"],
  ["\t=1", "\t'=1"],
  ["\r\n=1", "\r\n'=1"],
  ["\u0000=1", "'\u0000=1"],
  ["\u200B=1", "'\u200B=1"],
  ["\uFEFF=1", "'\uFEFF=1"],
  ["\u2060\u3164=1", "'\u2060\u3164=1"],
  [";=cmd|'/C calc'!A0;", ";'=cmd|'/C calc'!A0;"],
  ["a;=1", "a;'=1"],
  ["a;=1;+2", "a;'=1;'+2"],
  ["a; \u200B=1", "a;' \u200B=1"],
  ["a\t+1", "a\t'+1"],
  ["a|@x", "a|'@x"],
  ["a\n=1+1;b", "a\n'=1+1;b"],
  ["O'Neil;-2", "O'Neil;'-2"],
  // An apostrophe before a formula is guarded too, so that the text is read back unchanged.
  ["'=1", "''=1"],
  ["' =1", "'' =1"],
  ["a;'=1", "a;''=1"],
] as const;
const harmless = ["", "a", "a=1", "1-1", "ana@example.com", "a; b", "a|b", "'", "O'Neil, Jr.", 'say "hi"'];

it.each(dangerous)("%j is written as %j, and is read back unchanged", (text, expected) => {
  expect(guarded(text)).toBe(expected);
  expect(unguarded(guarded(text))).toBe(text);
});

it.each(harmless)("%j is written unchanged", (text) => {
  expect(guarded(text)).toBe(text);
  expect(unguarded(text)).toBe(text);
});

it("every text in CSV is quoted, and other values are not", () => {
  expect(csvLine(["a", "", 'say "hi"', 1, -2, true, null, undefined, ";=1"])).toBe(
    `"a","","say ""hi""",1,-2,true,,,";'=1"\r\n`,
  );
});

/** Whether a spreadsheet runs a cell as a formula. */
const isFormula = (cell: string): boolean => /^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u.test(cell);

it("any text in CSV is read back unchanged by a parser, and no spreadsheet of any locale finds a formula in it", () => {
  const piece = fc.constantFrom(...Array.from("=+-@';\t|,\r\n a\u200B\u0000＝"));
  const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (texts) => {
      const line = csvLine(texts);
      const [cells = []]: string[][] = parse(line);
      expect(cells.map(unguarded)).toEqual(texts);
      expect(cells.filter((cell) => isFormula(cell) && !cell.includes("'"))).toEqual([]);
      // With another separator, the line begins with a number, so that its quotation marks are taken for text.
      for (const delimiter of [";", "\t", "|"]) {
        const options = { delimiter, quote: false, relax_column_count: true, record_delimiter: ["\n", "\r"] };
        const rows: string[][] = parse(`1,${line}`, options);
        expect(rows.flat().filter(isFormula)).toEqual([]);
      }
    }),
    { numRuns: 2000 },
  );
});
