import { spawnSync } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { lock, lockName } from "../../../tools/local/lock.ts";
import { temporaryFolder } from "../../support/set-up.ts";

const folder = temporaryFolder();

it("a folder has one lock, which can be acquired again after its release", async () => {
  const release = await lock(folder);
  await expect(lock(folder)).rejects.toThrow(`already running with this data: process ${process.pid}`);
  await release();
  expect(await readdir(folder)).toEqual([]);
  await lock(folder);
  expect(await readFile(join(folder, lockName), "utf8")).toBe(String(process.pid));
});

it("the lock of a killed process is taken over", async () => {
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  await writeFile(join(folder, lockName), String(pid));
  await lock(folder);
  expect(await readFile(join(folder, lockName), "utf8")).toBe(String(process.pid));
});
