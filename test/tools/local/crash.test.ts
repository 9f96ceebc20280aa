import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, expect, it } from "vitest";
import { lockName } from "../../../tools/local/lock.ts";
import { repeatedSigint } from "../../support/command-line.ts";
import { temporaryFolder } from "../../support/set-up.ts";

const folder = temporaryFolder();
let running: ChildProcess | undefined;
afterEach(async () => {
  if (running?.exitCode === null && running.signalCode === null) {
    running.kill("SIGTERM");
    await once(running, "exit");
  }
});

type Local = { api_url: string; tokens: Record<string, string>; communities: { id: number }[] };

/** Starts `npm start` in its own process. Resolves once the process prints that it is ready. */
async function start(...options: readonly string[]): Promise<Local> {
  running = spawn(process.execPath, [...options, "tools/local/start.ts", "--port", "0", "--folder", folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: running.stdout ?? process.stdin }))
    if (line.includes("Odis is running")) break;
  running.stdout?.resume();
  return JSON.parse(await readFile(join(folder, "local.json"), "utf8")) as Local;
}

/** Kills the first start in a folder once its table has some of the demo data. */
async function interruptFirstStart(): Promise<void> {
  const starting = spawn(process.execPath, ["tools/local/start.ts", "--port", "0", "--folder", folder], {
    stdio: "ignore",
  });
  running = starting;
  const written = () => statSync(join(folder, "table.db-wal"), { throwIfNoEntry: false })?.size ?? 0;
  while (starting.exitCode === null && written() < 600_000) await new Promise(setImmediate);
  starting.kill("SIGKILL");
  await once(starting, "exit");
}

async function ask(local: Local, path: string, init: RequestInit = {}): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${local.tokens.owner}`, "content-type": "application/json" };
  const response = await fetch(local.api_url + path, { ...init, headers });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}

it("a first start that is killed while it writes the demo data begins again", async () => {
  await interruptFirstStart();
  const { data } = await ask(await start(), "/odis/v1/communities/1/members?per=8");
  expect(data).toHaveLength(8);
});

it("a stack that is killed while writing keeps every acknowledged write", async () => {
  const first = await start();
  const members = "/odis/v1/communities/1/members";
  const { data } = (await ask(first, `${members}?per=8`)) as { data: { id: number }[] };
  const acknowledged = new Map<number, number>();

  const write = async ({ id }: { id: number }) => {
    for (let n = 1; ; n++) {
      const body = JSON.stringify({ member: { metadata: { n } } });
      await ask(first, `${members}/${id}`, { method: "PATCH", body });
      acknowledged.set(id, n);
      if (n === 30) running?.kill("SIGKILL");
    }
  };
  const results = await Promise.allSettled(data.map(write));
  expect(results.every(({ status }) => status === "rejected")).toBe(true);

  const second = await start();
  for (const [id, n] of acknowledged) {
    const { metadata } = (await ask(second, `${members}/${id}`)) as { metadata: { n: number } };
    expect([n, n + 1]).toContain(metadata.n);
  }
  expect(acknowledged.size).toBe(8);
});

it("a stack that Ctrl-C ends stops completely if npm repeats the signal", async () => {
  await start(repeatedSigint);
  running?.kill("SIGINT");
  expect(await once(running ?? process, "exit")).toEqual([0, null]);
  expect(["local.json", lockName].filter((name) => existsSync(join(folder, name)))).toEqual([]);
});
