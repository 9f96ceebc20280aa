import { afterEach, describe, expect, it, vi } from "vitest";
import * as english from "../../site/console/src/format.ts";

/** The formats of a browser with a language. */
async function formatsIn(language: string) {
  vi.stubGlobal("navigator", { languages: [language] });
  vi.resetModules();
  return import("../../site/console/src/format.ts");
}

describe("amounts and dates in the console", () => {
  afterEach(() => void vi.unstubAllGlobals());

  it("amounts, numbers and dates are written as in the language of the browser, and words in English", async () => {
    const shown = async (language: string) => {
      const { moneyOf, priceFor, countOf, dateOf, shortDateOf, timeOf, monthOf, amountOf } = await formatsIn(language);
      const noon = "2020-12-03T12:00:00.000Z";
      return [moneyOf(120_050), priceFor(25, "month"), countOf(1200, "member"), amountOf(120_050)]
        .concat(dateOf(noon), shortDateOf(noon), timeOf(noon), monthOf(noon))
        .map((text) => text.replaceAll(/\s/g, " "))
        .join("; ");
    };
    expect(await shown("en-US")).toBe(
      "$1,200.50; $25 a month; 1,200 members; 1200.50; December 3, 2020; Dec 3, 2020; Dec 3, 2020, 12:00 PM; December",
    );
    expect(await shown("de-DE")).toBe(
      "1.200,50 $; 25 $ a month; 1.200 members; 1200,50; 3. Dezember 2020; 3. Dez. 2020; 3. Dez. 2020, 12:00; Dezember",
    );
  });

  it("an amount in thousands is read as in the language of the browser", async () => {
    expect((await formatsIn("de-DE")).centsOf("1.200")).toBe(120_000);
    expect((await formatsIn("de-DE")).centsOf("1,200")).toBeUndefined();
    for (const language of ["de-DE", "en-US", "fr-FR", "de-CH", "ar-EG"]) {
      const { amountOf, centsOf } = await formatsIn(language);
      expect({ language, cents: centsOf(amountOf(120_050)) }).toEqual({ language, cents: 120_050 });
    }
  });

  it("every amount that the console shows can be typed, in the digits and the groups of the language", async () => {
    for (const language of [
      "en-US",
      "en-IN",
      "hi-IN",
      "de-DE",
      "de-CH",
      "es-ES",
      "fr-FR",
      "pl-PL",
      "ar-EG",
      "fa-IR",
      "he-IL",
    ]) {
      const { centsOf, moneyOf } = await formatsIn(language);
      for (const cents of [5, 1250, 120_050, 1_234_567, 10_000_000])
        expect({ language, text: moneyOf(cents), cents: centsOf(moneyOf(cents)) }).toMatchObject({ cents });
    }
    expect((await formatsIn("en-IN")).centsOf("1,00,000")).toBe(10_000_000);
    expect((await formatsIn("en-IN")).centsOf("1,0,0000")).toBeUndefined();
    expect((await formatsIn("es-ES")).centsOf("1.200")).toBe(120_000);
    expect((await formatsIn("ar-EG")).centsOf("١٬٢٠٠")).toBe(120_000);
    expect((await formatsIn("ar-EG")).centsOf("١٢٫٥٠")).toBe(1250);
  });

  it("an amount may be typed with a point or a comma, and the cents are never read as dollars", () => {
    const typed = { "12.50": 1250, "12,50": 1250, "7.5": 750, $1200: 120_000, "1,200": 120_000, "1.200,50 $": 120_050 };
    for (const [text, cents] of Object.entries({ ...typed, "0": 0, " $ 1,234,567.89 ": 123_456_789, US$3: 300 }))
      expect({ text, cents: english.centsOf(text) }).toEqual({ text, cents });
    for (const text of ["", "1.200", "1,20,000", "12.345", "-1", "1,200,50", "twelve", "1e3", "1.2.3"])
      expect({ text, cents: english.centsOf(text) }).toEqual({ text, cents: undefined });
  });

  it("a person without a name is named by their address or username, and only an erased person is called so", () => {
    const person = { first_name: "", last_name: "", email: "", username: "ana" };
    expect(english.nameOf(person)).toBe("ana");
    expect(english.nameOf({ ...person, email: "ana@example.com" })).toBe("ana@example.com");
    expect(english.nameOf({ ...person, username: "erased" })).toBe("Erased person");
  });
});
