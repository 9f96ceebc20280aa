import { parse } from "csv-parse/sync";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { csvLine, guarded, unguarded } from "#lib/domain/csv.ts";

const dangerous = [
  "=1+1",
  "+1",
  "-1",
  "@SUM(A1)",
  "＝1",
  "＋1",
  "－1",
  "＠x",
  " =1",
  "\t=1",
  "\r\n=1",
  "\u0000=1",
  "\u200B=1",
  "\uFEFF=1",
  "\u2060\u3164=1",
  ";=cmd|'/C calc'!A0;",
  "a;=1",
  "a; \u200B=1",
  "a\t+1",
  "a|@x",
  "O'Neil;-2",
  // A leading apostrophe is guarded too, so that the text is read back unchanged.
  "'=1",
  "' =1",
];
const harmless = ["", "a", "a=1", "1-1", "ana@example.com", "a; b", "a|b", "'", "O'Neil, Jr.", 'say "hi"'];

it.each(dangerous)("%j gets a leading apostrophe, and is read back unchanged", (text) => {
  expect(guarded(text)).toBe(`'${text}`);
  expect(unguarded(guarded(text))).toBe(text);
});

it.each(harmless)("%j is written unchanged", (text) => {
  expect(guarded(text)).toBe(text);
  expect(unguarded(text)).toBe(text);
});

it("every text in CSV is quoted, and other values are not", () => {
  expect(csvLine(["a", "", 'say "hi"', 1, -2, true, null, undefined, ";=1"])).toBe(
    `"a","","say ""hi""",1,-2,true,,,"';=1"\r\n`,
  );
});

it("any text in CSV is read back unchanged by a parser, and every possible formula is guarded", () => {
  const piece = fc.constantFrom(...Array.from("=+-@'\";\t|,\r\n a\u200B\u0000＝"));
  const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (texts) => {
      const [cells = []]: string[][] = parse(csvLine(texts));
      expect(cells.map(unguarded)).toEqual(texts);
      const formulas = cells.filter((cell) => /(^|[;\t|])[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u.test(cell));
      expect(formulas.filter((cell) => !cell.startsWith("'"))).toEqual([]);
    }),
    { numRuns: 2000 },
  );
});
