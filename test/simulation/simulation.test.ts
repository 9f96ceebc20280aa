import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { routes } from "#lib/contract/index.ts";
import { readMutants } from "./mutants.ts";
import { pairOf } from "./pairs.ts";
import { holdsOf, pairsOf, planOf, type Step } from "./plan.ts";
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

it.each(["months", "upgrade"] as const)(
  "a history of %s ends without violations",
  async (kind) => {
    const { failure, steps } = await runAll({ seeds: seeds(1), options: { kind } });
    expect(failure && [...failure.shortened.journal, failure.violation]).toBeUndefined();
    expect(steps).toBeGreaterThanOrEqual(60);
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
    // The list of members shows their access too.
    expect(["access", "lists"]).toContain(failure?.violation.invariant);
    expect(failure?.shortened.steps.length).toBeLessThan(10);
    expect(failure?.shortened.journal).toContainEqual(
      expect.stringContaining(`WRONG: ${failure?.violation.invariant}`),
    );
  },
  timeout,
);

/** The steps of each pair of a history, without the changes at Stripe before them. */
function roundsOf(pair: string): Step[][] {
  const met = planOf("1", { pairs: [pairOf(pair)] }).filter(({ subject }) => subject !== undefined);
  return Object.values(Object.groupBy(met, ({ subject = "" }) => subject)).map((steps = []) => steps);
}

it("the acts of a pair are about one subject, and start within 20 milliseconds or at calls of the first one", () => {
  const orders = new Set<string>();
  const rounds = roundsOf("ownersOfMembers.block,members.showMembership");
  expect(rounds.length).toBe(20);
  for (const steps of rounds) {
    const start = steps.findIndex(({ act }) => ["block", "showMembership"].includes(act));
    const [first, ...seconds] = steps.slice(start);
    expect(new Set(seconds.map(({ act }) => act)).size).toBe(1);
    expect(seconds[0]?.act).not.toBe(first?.act);
    const calls = seconds.flatMap(({ during }) => during?.call ?? []);
    orders.add(`${first?.act} ${calls.length > 0 ? "during" : "together"}`);
    expect(seconds.length).toBe(calls.length || 1);
    if (calls.length === 0) expect(seconds[0]?.gap).toBeLessThanOrEqual(20);
    for (const call of calls) expect(call).toBeGreaterThanOrEqual(1);
    for (const { during } of seconds) expect(during?.of ?? first?.name).toBe(first?.name);
    expect(seconds.filter(({ during }) => !during?.isOptional).length).toBe(1);
  }
  expect([...orders].toSorted()).toEqual([
    "block during",
    "block together",
    "showMembership during",
    "showMembership together",
  ]);
});

it("a pair that names an unknown act is refused", () => {
  expect(() => pairOf("support.cancel,nobody.acts")).toThrow("There is no act nobody.acts");
  expect(() => pairOf("support.cancel")).toThrow("A pair is two acts");
});

it("an act of a pair starts at calls of a trigger, which runs because of an act about the same subject", () => {
  const during = roundsOf("projections,dataSubjects.erase").filter((steps) => steps.some((step) => step.during));
  expect(during.length).toBeGreaterThan(5);
  for (const steps of during) {
    const erasures = steps.filter(({ act }) => act === "erase");
    const cause = steps[steps.indexOf(erasures[0] as Step) - 1];
    expect(["block", "unblock", "createTier", "refund", "rename"]).toContain(cause?.act);
    for (const erasure of erasures) {
      expect(erasure.during?.of).toBe("projections");
      expect(erasure.during?.within).toBeLessThanOrEqual(6000);
    }
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
