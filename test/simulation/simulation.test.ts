import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { routes } from "#lib/contract/index.ts";
import { readMutants } from "./mutants.ts";
import { pairOf } from "./pairs.ts";
import { holdsOf, pairsOf, planOf } from "./plan.ts";
import { runAll } from "./workers.ts";

const seeds = (count: number) => Array.from({ length: count }, (_, n) => String(n + 1));

/** Timeout that only a hang exceeds, in milliseconds. 30 histories take ten seconds on an idle machine. */
const timeout = 900_000;

it(
  "30 histories of the whole system call every route and end without violations, and the same seed repeats a history byte for byte",
  async () => {
    const { failure, hashes, steps, counts } = await runAll({ seeds: seeds(30) });
    expect(failure && [...failure.shortened.journal, failure.violation]).toBeUndefined();
    expect(steps).toBeGreaterThanOrEqual(1800);
    expect(routes.map(({ method, path }) => `${method} ${path}`).filter((route) => !counts.routes?.[route])).toEqual(
      [],
    );
    const again = await runAll({ seeds: seeds(4) });
    for (const [seed, hash] of Object.entries(again.hashes)) expect(hash).toBe(hashes[seed]);
  },
  timeout,
);

it.each([
  { kind: "months", count: 2 },
  { kind: "upgrade", count: 2 },
] as const)(
  "$count histories of $kind end without violations",
  async ({ kind, count }) => {
    const { failure, steps } = await runAll({ seeds: seeds(count), options: { kind } });
    expect(failure && [...failure.shortened.journal, failure.violation]).toBeUndefined();
    expect(steps).toBeGreaterThanOrEqual(60 * count);
  },
  timeout,
);

it("one in six histories of days consists of pairs, which hold writes, and one in four of the others holds writes", () => {
  const drawn = seeds(1000).filter((seed) => pairsOf(seed));
  expect(drawn.length).toBeGreaterThan(130);
  expect(drawn.length).toBeLessThan(205);
  expect(drawn.filter((seed) => holdsOf(seed) === 0)).toEqual([]);
  const held = seeds(1000).filter((seed) => holdsOf(seed) > 0 && !pairsOf(seed));
  expect(held.length).toBeGreaterThan(160);
  expect(held.length).toBeLessThan(260);
  for (const options of [{ kind: "months" }, { kind: "upgrade" }] as const)
    expect(seeds(100).filter((seed) => holdsOf(seed, options) > 0 || pairsOf(seed, options))).toEqual([]);
});

it(
  "the option `holds` overrides the value drawn from the seed",
  async () => {
    const seed = seeds(100).find((one) => holdsOf(one) > 0) ?? "";
    const hashOf = async (holds?: number) => (await runAll({ seeds: [seed], options: { holds } })).hashes[seed];
    const [drawn, same, none] = [await hashOf(), await hashOf(holdsOf(seed)), await hashOf(0)];
    expect(same).toBe(drawn);
    expect(none).not.toBe(drawn);
  },
  timeout,
);

it("a history of months takes between six months and two years, or ten years", () => {
  const all = seeds(200).map(
    (seed) => planOf(seed, { kind: "months" }).reduce((sum, { gap }) => sum + gap, 0) / 86_400_000,
  );
  const long = all.filter((days) => days > 1000);
  expect(long.length).toBeGreaterThan(0);
  expect(long.length).toBeLessThan(10);
  // The gaps of hours between other acts add several days.
  for (const days of all) {
    expect(days).toBeGreaterThanOrEqual(long.includes(days) ? 3650 : 183);
    expect(days).toBeLessThan(long.includes(days) ? 3690 : 770);
  }
});

it(
  "a defect is found, and its history is shortened to the necessary steps",
  async () => {
    const mutant = {
      name: "a blocked member may enter",
      file: "lib/domain/access.ts",
      find: 'if (is_blocked) return { granted: false, reason: "blocked", until: null };',
      replace: "",
    };
    const { failure } = await runAll({ seeds: seeds(50), mutant });
    expect(failure?.violation.invariant).toBe("access");
    expect(failure?.shortened.steps.length).toBeLessThan(10);
    expect(failure?.shortened.journal).toContainEqual(expect.stringContaining("WRONG: access"));
  },
  timeout,
);

it("the two acts of a pair run within 20 milliseconds on the same subject", () => {
  const steps = planOf("1", { pairs: [pairOf("dataSubjects.erase,support.cancel")] });
  const met = steps.filter(({ subject }) => subject !== undefined);
  expect(met.length).toBeGreaterThan(20);
  for (const [n, step] of met.entries()) {
    if (n % 2 === 0) continue;
    expect(new Set([step.act, met[n - 1]?.act])).toEqual(new Set(["cancel", "erase"]));
    expect(step.subject).toBe(met[n - 1]?.subject);
    expect(step.gap).toBeLessThanOrEqual(20);
  }
});

it("a pair that names an unknown act is refused", () => {
  expect(() => pairOf("support.cancel,nobody.acts")).toThrow("There is no act nobody.acts");
  expect(() => pairOf("support.cancel")).toThrow("A pair is two acts");
});

it("a trigger of a pair runs because of an act about the subject of the other side, which follows within seconds", () => {
  const steps = planOf("1", { pairs: [pairOf("projections,dataSubjects.erase")] });
  const erasures = steps.filter(({ act }) => act === "erase");
  expect(erasures.length).toBe(20);
  for (const { subject } of erasures) {
    const [first, second, ...more] = steps.filter((step) => step.subject === subject && step.gap !== 2000);
    expect([first?.act, second?.act]).toContain("erase");
    expect(second?.gap).toBeLessThanOrEqual(6000);
    expect(more).toEqual([]);
  }
});

it("a mutant whose text is not in its file is refused", () => {
  const folder = mkdtempSync(join(tmpdir(), "odis-mutants-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "mutants.json");
  writeFileSync(file, JSON.stringify([{ name: "none", file: "lib/ids.ts", find: "nowhere", replace: "" }]));
  expect(() => readMutants(file)).toThrow('The text of mutant "none" is 0 times in lib/ids.ts, not once');
  expect(readMutants(join(import.meta.dirname, "mutants.json")).length).toBeGreaterThan(10);
});
