import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { thorough } from "../../vitest.config.ts";

/**
 * The security examination ran 56 attacks and had the findings A1–A5, B1–B10 and C1–C12. The titles of tests begin with
 * what they show: `attack 7: …`, `attacks 16, 19: …`, `finding A1 (attacks 13, 14): …`.
 */
const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}${n + 1}`);
const attacks = numbered("", 56);
const findings = [...numbered("A", 5), ...numbered("B", 10), ...numbered("C", 12)];

/** What is not met, or only in part, and why. `docs/security.md` says so to users. */
const open: Readonly<Record<string, string>> = {
  C5: "Roles limit the actions on the table, not the partitions. All functions that ask Stripe share one secret.",
};

const named = new Set(
  // `npm test` runs these.
  globSync("test/**/*.test.ts", { exclude: ["test/deployed/**", ...thorough] })
    .flatMap((path) => Array.from(readFileSync(path, "utf8").matchAll(/["'`](?:attacks?|findings?) ([^:"'`\n]+):/g)))
    .flatMap(([, label = ""]) => label.match(/\b[ABC]?\d+\b/g) ?? []),
);

it.each(attacks)("attack %s is run by a test of this name", (attack) => {
  expect([...named]).toContain(attack);
});

it.each(findings)("finding %s has a test of this name, or is open", (finding) => {
  expect(named.has(finding) || finding in open).toBe(true);
});

it("every test that is named after an attack or a finding names one of the examination", () => {
  expect([...named].filter((name) => !attacks.includes(name) && !findings.includes(name))).toEqual([]);
  expect(Object.keys(open).filter((finding) => !findings.includes(finding))).toEqual([]);
});
