import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fold } from "#lib/domain/fold.ts";

describe("a folded text", () => {
  it.each([
    ["Zoë", "zoe"],
    ["STRASSE", "strasse"],
    ["Straße", "strasse"],
    ["İstanbul", "istanbul"],
    ["ﬁne", "fine"],
    ["e\u0301", "e"],
    ["  a \t\n b  ", "a b"],
    ["ＡＢＣ", "abc"],
    ["Ωμέγα", "ωμεγα"],
    ["Κώστας ΚΏΣΤΑΣ", "κωστασ κωστασ"],
    ["100%_'\"", "100%_'\""],
    ["🥃 Dram", "🥃 dram"],
  ])("the folded text of %j is %j", (text, folded) => {
    expect(fold(text)).toBe(folded);
  });

  it("each beginning of a name is the beginning of the folded name", () => {
    const name = "Μουσείο Κώστας";
    for (let n = 1; n <= name.length; n++) expect(fold(name).startsWith(fold(name.slice(0, n)))).toBe(true);
  });

  it("a folded text does not depend on the case and Unicode composition of its source", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(fold(text.normalize("NFD"))).toBe(fold(text.normalize("NFC")));
      }),
    );
  });
});
