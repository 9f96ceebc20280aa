import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { expect, it } from "vitest";
import { conditionMutants, filesWithConditions, labelled, mutantsOf } from "./conditions.ts";
import { harmless } from "./harmless-conditions.ts";

const source = `
type Write = { readonly when: Condition };
write(table, [
  { put: { ...keys.tier(id), ...tier }, when: "absent" },
  { update: keys.tier(id), set, when: { is: { version, in_use: false } }, otherwise },
]);
const when = { is: { customer_id } };
write(table, [{ delete: key, when }]);`;

it("a mutant drops each condition of a write, and each attribute of a condition with several", () => {
  const mutants = mutantsOf("lib/tiers.ts", source);
  expect(mutants.map(({ name, find, replace }) => [name, source.replace(find, replace)])).toEqual([
    [
      'lib/tiers.ts: put: { ...keys.tier(id), ...tier }, without "absent"',
      source.replace('"absent"', '{ anyOf: ["absent", "exists"] }'),
    ],
    [
      "lib/tiers.ts: update: keys.tier(id), set, without { is: { version, in_use: false } }",
      source.replace("{ is: { version, in_use: false } }", '"exists"'),
    ],
    ["lib/tiers.ts: update: keys.tier(id), set, without version,", source.replace("version,", "")],
    ["lib/tiers.ts: update: keys.tier(id), set, without in_use: false", source.replace("in_use: false", "")],
    [expect.stringContaining("without { is: { customer_id } }"), source.replace("{ is: { customer_id } }", '"exists"')],
  ]);
});

it("a condition is labelled with the name by which its mutants ask for the histories in which it is decisive", () => {
  const text = labelled("lib/tiers.ts", source);
  expect(text).toContain('when: { is: { version, in_use: false } }, label: "lib/tiers.ts 1", otherwise');
  expect(text).toContain('{ delete: key, when, label: "lib/tiers.ts 2" }');
  expect(mutantsOf("lib/tiers.ts", source).map(({ decisiveAs }) => decisiveAs)).toEqual([
    "lib/tiers.ts 0",
    "lib/tiers.ts 1",
    "lib/tiers.ts 1 version",
    "lib/tiers.ts 1 in_use",
    "lib/tiers.ts 2",
  ]);
});

it("each source with labels is still TypeScript, and each label is that of a condition", () => {
  for (const file of filesWithConditions()) {
    const text = labelled(file, readFileSync(file, "utf8"));
    stripTypeScriptTypes(text, { mode: "transform" });
    expect(text).not.toContain(`"${file} -1"`);
  }
});

it("each mutant changes one place in its file", () => {
  const mutants = conditionMutants();
  const places = ({ file, find }: (typeof mutants)[number]) => readFileSync(file, "utf8").split(find).length - 1;
  expect(mutants).not.toEqual([]);
  expect(mutants.filter((mutant) => places(mutant) !== 1 || mutant.find === mutant.replace)).toEqual([]);
});

it("each condition that is listed as harmless exists", () => {
  const names = conditionMutants().map(({ name }) => name);
  expect(Object.keys(harmless).filter((name) => !names.includes(name))).toEqual([]);
});
