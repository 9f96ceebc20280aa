import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { setTimeout } from "node:timers/promises";

export type EngineProcess = {
  /** Resolves with the engine's last output once it has ended. */
  readonly ended: Promise<string>;
  readonly stop: () => Promise<void>;
};

/**
 * Runs a command until this process closes its standard input. The operating system closes it even after SIGKILL. A
 * third descriptor is necessary, because the shell gives background jobs /dev/null as their input.
 */
const untilInputCloses = `
exec 3<&0
"$@" 3<&- </dev/null & engine=$!
(while read -r _; do :; done <&3; kill $engine) 2>/dev/null & watcher=$!
exec 3<&-
wait $engine; status=$?
kill $watcher 2>/dev/null
exit $status`;

/**
 * Starts an engine and waits until it responds on its port.
 *
 * @throws Error if the port is in use, or with the engine's output if it ends first
 */
export async function run(command: readonly string[], port: number): Promise<EngineProcess> {
  // Another server on the port would respond in place of the engine.
  if (await answers(port)) throw new Error(`The DynamoDB engine did not start: port ${port} is in use`);
  const child = spawn("sh", ["-c", untilInputCloses, "sh", ...command], {
    // In its own process group, Ctrl-C does not end the engine before the processes that use it.
    detached: true,
    stdio: ["pipe", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-2000);
  });
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const ended = new Promise<string>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", () => child.stdin.destroy());
    child.once("close", () => resolve(said.trim()));
  });

  const ready = async () => {
    for (const deadline = performance.now() + 120_000; isRunning() && !(await answers(port)); await setTimeout(10))
      if (performance.now() > deadline) child.stdin.destroy();
  };
  const failure = await Promise.race([ready().then(() => undefined), ended]);
  if (failure !== undefined || !isRunning()) throw new Error(`The DynamoDB engine did not start: ${await ended}`);

  return {
    ended,
    async stop() {
      child.stdin.destroy();
      await ended;
    },
  };
}

/** Starts on a free port. Tries the next one if another process takes the port in the meantime. */
export async function onFreePort<Started>(start: (port: number) => Promise<Started>, attempts = 5) {
  for (let attempt = 1; ; attempt++) {
    const port = await freePort();
    try {
      return { port, started: await start(port) };
    } catch (failure) {
      if (attempt === attempts || !/in use/i.test(String(failure))) throw failure;
    }
  }
}

/** Any response counts, because DynamoDB Local refuses unsigned requests. */
async function answers(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}`, { signal: AbortSignal.timeout(10_000) });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((listening, failed) => {
    server.once("error", failed).listen(0, "127.0.0.1", listening);
  });
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  if (address === null || typeof address === "string") throw new Error("There is no free port");
  return address.port;
}
