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
    ["100%_'\"", "100%_'\""],
    ["🥃 Dram", "🥃 dram"],
  ])("the folded text of %j is %j", (text, folded) => {
    expect(fold(text)).toBe(folded);
  });

  it("a folded text does not depend on the case and Unicode composition of its source", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(fold(text.normalize("NFD"))).toBe(fold(text.normalize("NFC")));
      }),
    );
  });
});
