import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { freePort, onFreePort } from "../../tools/local/dynamodb/process.ts";
import type { SamFunction } from "./resolve.ts";
import type { Sam } from "./sam.ts";

export type Execution = {
  /** The result of the function. */
  readonly result: unknown;
  /** Time to start the runtime and load the function, in milliseconds. */
  readonly initMs: number;
};

/**
 * Runs a function once in its own process. As on Lambda, the emulator starts the runtime and passes the event to it.
 *
 * @throws Error if the emulator ends or the function does not start
 */
export async function execute(sam: Sam, fn: SamFunction, event: string): Promise<Execution> {
  const { started } = await onFreePort(async (port) => executeOn([port, await freePort()], sam, fn, event));
  return started;
}

async function executeOn(
  [port, api]: readonly [port: number, api: number],
  { emulator }: Sam,
  { code, handler, environment }: SamFunction,
  event: string,
): Promise<Execution> {
  const listening = [
    "--runtime-interface-emulator-address",
    `127.0.0.1:${port}`,
    "--runtime-api-address",
    `127.0.0.1:${api}`,
  ];
  const runtime = [process.execPath, join(import.meta.dirname, "runtime.ts"), handler];
  const running = spawn(emulator, [...listening, "--log-level", "info", ...runtime], {
    cwd: code,
    env: { ...environment, LAMBDA_TASK_ROOT: code },
  });
  const ended = once(running, "exit");
  let said = "";
  for (const stream of [running.stdout, running.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  try {
    const response = await invoke(`http://127.0.0.1:${port}/2015-03-31/functions/function/invocations`, event, () => {
      if (running.exitCode !== null) throw new Error(`The emulator ended: ${said}`);
    });
    const result: unknown = await response.json();
    const [, initMs] = /INIT REPORT\(durationMs: ([\d.]+)\)/.exec(said) ?? [];
    if (initMs === undefined) throw new Error(`The function did not start: ${said}`);
    return { result, initMs: Number(initMs) };
  } finally {
    // Killing the emulator also ends the runtime.
    running.kill();
    await ended;
  }
}

/** Retries until the emulator listens. */
async function invoke(url: string, body: string, assertRunning: () => void): Promise<Response> {
  for (;;) {
    assertRunning();
    try {
      return await fetch(url, { method: "POST", body });
    } catch {
      await setTimeout(20);
    }
  }
}
