import { execFileSync, spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { beforeEach, expect, it, vi } from "vitest";
import { UsageError } from "../../../client/cli/failures.ts";
import { importFile, type Kind } from "../../../client/cli/import.ts";
import { progressOf } from "../../../client/cli/progress.ts";
import { OdisProblem } from "../../../client/odis.ts";
import { temporaryFolder } from "../../support/set-up.ts";

const folder = temporaryFolder();
const send = vi.fn<Kind["send"]>();
const kind: Kind = { columns: [], schema: v.object({ id: v.number() }), target: "community 1", send };
beforeEach(() => {
  send.mockReset().mockImplementation(async (rows) => rows.map(() => ({ outcome: "created" })));
});

const importing = (file: string, concurrency = 4) =>
  importFile(file, kind, { isDryRun: false, isFresh: false, concurrency }, progressOf("rows", true));

it("an import of a pipe is refused, because its file is read twice", async () => {
  const pipe = join(folder, "pipe.jsonl");
  execFileSync("mkfifo", [pipe]);
  await expect(importing(pipe)).rejects.toThrow(new UsageError(`${pipe} is not a file. Save the rows in a file first`));
});

it.each([
  [429, "too_many_requests"],
  [409, "request_in_progress"],
] as const)("an import repeats rows that are refused with %i %s until they are accepted", async (status, code) => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const file = join(folder, `${code}.jsonl`);
  await writeFile(file, '{"id":1}\n');
  for (let n = 0; n < 20; n++) send.mockRejectedValueOnce(new OdisProblem(status, { code }));
  const imported = importing(file);
  await vi.waitFor(() => expect(send).toHaveBeenCalledOnce());
  await vi.advanceTimersByTimeAsync(20_000);
  vi.useRealTimers();
  expect((await imported).counts).toMatchObject({ created: 1 });
});

it("an import ends if rows are refused with another problem", async () => {
  const file = join(folder, "forbidden.jsonl");
  await writeFile(file, '{"id":1}\n');
  send.mockRejectedValue(new OdisProblem(403, { code: "forbidden" }));
  await expect(importing(file)).rejects.toMatchObject({ code: "forbidden" });
  expect(send).toHaveBeenCalledOnce();
});

it("an import sends nothing if it cannot store its progress", async () => {
  const file = join(folder, "stuck.jsonl");
  await writeFile(file, '{"id":1}\n');
  await mkdir(`${file}.progress.json.new`);
  await expect(importing(file)).rejects.toMatchObject({ code: "EISDIR" });
  expect(send).not.toHaveBeenCalled();
});

it.each([false, true])(
  "a row that is too large for a request is refused, and others are imported (dry run: %s)",
  async (isDryRun) => {
    const file = join(folder, "large.jsonl");
    const large = JSON.stringify({ id: 2, name: "é".repeat(33_000) });
    await writeFile(file, `{"id":1}\n${large}\n{"id":3}\n`);
    const options = { isDryRun, isFresh: true, concurrency: 4 };
    expect(await importFile(file, kind, options, progressOf("rows", true))).toMatchObject({
      counts: { created: 2, refused: 1 },
      refused: [{ line: 2, errors: [{ code: "body_too_large", message: "must have at most 63 KiB as JSON" }] }],
    });
    const sent = send.mock.calls.flatMap(([rows]) => rows.map(({ line }) => line));
    expect(sent).toEqual(isDryRun ? [] : [1, 3]);
  },
);

it.each([
  ["", false],
  ["", true],
  ['{"fingerprint":"', false],
])("an import whose stored progress is damaged (%o) starts with the first row (--fresh: %s)", async (text, isFresh) => {
  const file = join(folder, "damaged.jsonl");
  await writeFile(file, '{"id":1}\n');
  await writeFile(`${file}.progress.json`, text);
  const options = { isDryRun: false, isFresh, concurrency: 4 };
  expect((await importFile(file, kind, options, progressOf("rows", true))).counts).toMatchObject({ created: 1 });
});

it("an import is refused while another process imports the file, except in a dry run, and leaves the lock", async () => {
  const file = join(folder, "locked.jsonl");
  const lock = `${file}.progress.json.lock`;
  await writeFile(file, '{"id":1}\n');
  await writeFile(lock, String(process.ppid));
  const message = `An import of ${file} is running already. If not, delete ${lock}`;
  await expect(importing(file)).rejects.toThrow(new UsageError(message));
  const options = { isDryRun: true, isFresh: false, concurrency: 4 };
  expect((await importFile(file, kind, options, progressOf("rows", true))).counts).toMatchObject({ created: 1 });
  expect(await readFile(lock, "utf8")).toBe(String(process.ppid));
  expect(send).not.toHaveBeenCalled();
});

it("an import takes over the lock of a killed process, also if it has got the same id, and removes it at its end", async () => {
  const file = join(folder, "left.jsonl");
  const { pid } = spawnSync("true");
  for (const left of [pid, process.pid]) {
    await writeFile(file, `{"id":${left}}\n`);
    await writeFile(`${file}.progress.json.lock`, String(left));
    expect((await importing(file)).counts).toMatchObject({ created: 1 });
    expect((await readdir(folder)).filter((name) => name.endsWith("left.jsonl.progress.json.lock"))).toEqual([]);
  }
});

it("an import of a file without rows stores no progress", async () => {
  const file = join(folder, "empty.jsonl");
  await writeFile(file, "");
  await expect(importing(file)).rejects.toThrow(new UsageError(`${file} has no rows`));
  expect((await readdir(folder)).filter((name) => name.startsWith("empty"))).toEqual(["empty.jsonl"]);
});

const claimsOf = (record: unknown) => [`/user ${(record as { id: number }).id}`];

it("of several rows of one person in a file, the first is sent and the others are refused", async () => {
  const file = join(folder, "orders.jsonl");
  const people = Array.from({ length: 60 }, (_, n) => ({ id: n % 30, name: `order ${n}` }));
  await writeFile(file, people.map((person) => `${JSON.stringify(person)}\n`).join(""));
  const options = { isDryRun: false, isFresh: false, concurrency: 4 };
  const imported = await importFile(file, { ...kind, claimsOf }, options, progressOf("rows", true));
  const sent = send.mock.calls.flatMap(([rows]) => rows.map(({ record }) => record));
  expect(sent).toEqual(people.slice(0, 30));
  expect(imported.counts).toMatchObject({ created: 30, refused: 30 });
  const message = "must not be that of line 1 too";
  expect(imported.refused[0]).toEqual({ line: 31, errors: [{ pointer: "/user", code: "duplicate", message }] });
});

it("a row of a person is sent if the row of the person before it is invalid", async () => {
  const file = join(folder, "corrected.jsonl");
  await writeFile(file, '{"id":"7"}\n{"id":7}\n{"id":7}\n');
  const options = { isDryRun: false, isFresh: false, concurrency: 4 };
  const imported = await importFile(file, { ...kind, claimsOf }, options, progressOf("rows", true));
  expect(send.mock.calls.flatMap(([rows]) => rows.map(({ line }) => line))).toEqual([2]);
  expect(imported.refused).toMatchObject([
    { line: 1, errors: [{ pointer: "/id", code: "wrong_type" }] },
    { line: 3, errors: [{ code: "duplicate", message: "must not be that of line 2 too" }] },
  ]);
});

it("an import that starts again keeps the report of the run before it, which a resumed import goes on with", async () => {
  const file = join(folder, "kept.jsonl");
  const report = `${file}.refused.jsonl`;
  await writeFile(file, '{"id":"1"}\n');
  const note = vi.fn<(text: string) => void>();
  const run = (isFresh: boolean) =>
    importFile(file, kind, { isDryRun: false, isFresh, concurrency: 4, note }, progressOf("rows", true));
  await run(false);
  await writeFile(report, "corrected by hand\n");
  await run(false);
  expect(await readFile(report, "utf8")).toBe("corrected by hand\n");
  expect(note).not.toHaveBeenCalled();

  for (const content of ["corrected by hand", "corrected again"]) {
    await writeFile(report, content);
    await run(true);
    expect(await readFile(`${report}.1`, "utf8")).toBe(content);
    expect(await readFile(report, "utf8")).toContain('"line":1');
    expect(note).toHaveBeenLastCalledWith(`The refused rows of an earlier run are now in ${report}.1`);
  }
});

it("an import of a file that was changed since starts from the first row, even if the size is the same", async () => {
  const file = join(folder, "changed.jsonl");
  await writeFile(file, '{"id":1}\n');
  await importing(file);
  await importing(file);
  expect(send).toHaveBeenCalledTimes(1);
  await writeFile(file, '{"id":2}\n');
  await utimes(file, 0, 0);
  await importing(file);
  expect(send.mock.lastCall?.[0]).toMatchObject([{ record: { id: 2 } }]);
  expect(send).toHaveBeenCalledTimes(2);
});

it("a resumed import without refused rows writes no report", async () => {
  const file = join(folder, "good.jsonl");
  await writeFile(file, '{"id":1}\n');
  await importing(file);
  await importing(file);
  expect((await readdir(folder)).filter((name) => name.startsWith("good.jsonl.refused"))).toEqual([]);
});
