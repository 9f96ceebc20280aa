import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { beforeEach, expect, it, vi } from "vitest";
import { UsageError } from "../../../client/cli/failures.ts";
import { importFile, type Kind } from "../../../client/cli/import.ts";
import { progressOf } from "../../../client/cli/progress.ts";
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
