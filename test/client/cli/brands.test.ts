import { readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { brandImport } from "../../../client/cli/brands.ts";
import { importFile } from "../../../client/cli/import.ts";
import { progressOf } from "../../../client/cli/progress.ts";
import { type Odis, OdisProblem } from "../../../client/odis.ts";
import { linesOf } from "../../support/command-line.ts";
import { temporaryFolder } from "../../support/set-up.ts";

const folder = temporaryFolder();

/** Imports brands of a producer with `existing` ones. Returns the outcomes, and the names that were sent by their keys. */
async function importing(
  name: string,
  records: readonly object[],
  { existing = [], most = 1000 }: { existing?: readonly string[]; most?: number } = {},
) {
  const file = join(folder, name);
  await writeFile(file, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  // An import of the same records resumes.
  await utimes(file, 0, 0);
  const sent = new Map<string, string>();
  const odis = {
    async *iterate() {
      yield* existing.map((brand) => ({ name: brand }));
    },
    async post(_: string, { params, body }: Posted) {
      if (sent.size === most) throw new OdisProblem(403, { code: "forbidden" });
      if (body.brand.producer_ids?.includes("nobody")) throw new OdisProblem(422, { code: "validation_failed" });
      sent.set(params.header["Idempotency-Key"], body.brand.name);
    },
  } as unknown as Odis;
  const options = { isDryRun: false, isFresh: false, concurrency: 1 };
  const { counts } = await importFile(file, await brandImport(odis, "p"), options, progressOf("rows", true));
  return { counts, sent };
}

type Posted = {
  readonly params: { readonly header: { readonly "Idempotency-Key": string } };
  readonly body: { readonly brand: { readonly name: string; readonly producer_ids?: readonly string[] } };
};

it("a brand has the same idempotency key if a line before it is removed, and equal brands have different ones", async () => {
  const [smoke, fire] = [{ name: "Smoke" }, { name: "Fire" }];
  const { sent } = await importing("typo.jsonl", [{ nome: "Smoke" }, smoke, fire, smoke]);
  expect([...sent.values()]).toEqual(["Smoke", "Fire", "Smoke"]);
  expect((await importing("typo.jsonl", [fire, smoke, smoke])).sent).toEqual(sent);
});

it("a brand that the producer has by its name is unchanged, and further ones of the name are created", async () => {
  const records = [{ name: " Cafe\u0301" }, { name: "Café", producer_ids: ["q"] }, { name: "Fire" }];
  const { counts, sent } = await importing("late.jsonl", records, { existing: ["Café"] });
  expect(counts).toMatchObject({ created: 2, unchanged: 1 });
  expect([...sent.values()]).toEqual(["Café", "Fire"]);
});

it("a resumed import of equal brands creates those that are missing", async () => {
  const records = Array.from({ length: 30 }, () => ({ name: "Smoke" }));
  await expect(importing("equal.jsonl", records, { most: 27 })).rejects.toMatchObject({ code: "forbidden" });
  const { counts, sent } = await importing("equal.jsonl", records, {
    existing: Array.from({ length: 27 }, () => "Smoke"),
  });
  expect(counts).toMatchObject({ created: 28, unchanged: 2 });
  expect(sent.size).toBe(3);
});

const smoke = { name: "Smoke" };
it.each([
  ["after", [smoke, { ...smoke, producer_ids: ["nobody"] }]],
  ["before", [{ ...smoke, producer_ids: ["nobody"] }, smoke]],
  ["after", [smoke, { ...smoke, producer_ids: 7 }]],
  ["before", [{ ...smoke, producer_ids: 7 }, smoke]],
] as const)(
  "a corrected report creates a brand whose row was refused %s another brand of its name: %j",
  async (_, records) => {
    const file = `refused-${JSON.stringify(records).replaceAll(/\W/g, "")}.jsonl`;
    const first = await importing(file, records);
    expect(first.counts).toMatchObject({ created: 1, refused: 1 });

    const report = linesOf(await readFile(join(folder, `${file}.refused.jsonl`), "utf8")) as object[];
    const corrected = report.map((line) => ({ ...line, record: smoke }));
    const second = await importing(`${file}.refused.jsonl`, corrected, { existing: ["Smoke"] });
    expect(second.counts).toMatchObject({ created: 1 });
    expect(first.sent.keys().toArray()).not.toContain(second.sent.keys().toArray()[0]);

    const edited = [...corrected, { name: "Fire" }];
    const third = await importing(`${file}.refused.jsonl`, edited, { existing: ["Smoke", "Smoke"] });
    expect(third.counts).toMatchObject({ created: 1, unchanged: 1 });
  },
);

it("two brands of one name that were refused are both created from a report that is corrected in two steps", async () => {
  const refused = { ...smoke, producer_ids: ["nobody"] };
  await importing("steps.jsonl", [refused, refused]);
  const report = async (name: string) => linesOf(await readFile(join(folder, name), "utf8")) as object[];
  const [one, other] = await report("steps.jsonl.refused.jsonl");
  const first = await importing("steps.jsonl.refused.jsonl", [{ ...one, record: smoke }, { ...other }]);
  expect(first.counts).toMatchObject({ created: 1, refused: 1 });

  const [last] = await report("steps.jsonl.refused.jsonl.refused.jsonl");
  const second = await importing("last.jsonl", [{ ...last, record: smoke }], { existing: ["Smoke"] });
  expect(second.counts).toMatchObject({ created: 1 });
  expect([...second.sent.keys()]).not.toEqual([...first.sent.keys()]);
});
