import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { pythonEnvironment } from "../../tools/build/python.ts";

export const region = "eu-central-1";
export const account = "000000000000";

/**
 * Installs ministack, an emulator of AWS. It tests the template, roles, stream and Cognito together without an AWS account.
 * `deploy.ts` works around its defects. Throttles, alarms and dead-letter queues are tested in the template only. Without
 * cryptography, the tokens that its Cognito issues have no valid signature.
 *
 * @throws Error where there is no Python, or no way to its packages
 */
export const installMinistack = (): string => pythonEnvironment({ ministack: "1.5.33", cryptography: "50.0.2" });

export type Ministack = {
  readonly endpoint: string;
  readonly stop: () => Promise<void>;
};

/**
 * An empty AWS account on this machine, in which every call needs the permission for it (`AUTH`). This process, and those
 * that it starts, are its root from now on.
 */
export async function startMinistack(folder: string): Promise<Ministack> {
  const port = await freePort();
  const log = join(folder, "ministack.log");
  const output = openSync(log, "a");
  const running = spawn(join(installMinistack(), "bin/ministack"), {
    cwd: folder,
    // Its functions see its environment too, so that it gets no more than it needs.
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      TMPDIR: folder,
      BIND_HOST: "127.0.0.1",
      GATEWAY_PORT: String(port),
      MINISTACK_REGION: region,
      AUTH: "true",
      MINISTACK_COGNITO_PRETOKEN_STRICT: "1",
      LAMBDA_EXECUTOR: "local",
      DOCKER_HOST: "unix:///nonexistent",
      IOT_MTLS_ENABLED: "0",
      SFTP_ENABLED: "0",
    },
    stdio: ["ignore", output, output],
    // A group of its own, which the processes of its functions belong to.
    detached: true,
  });
  const endpoint = `http://127.0.0.1:${port}`;
  await answering(`${endpoint}/_ministack/health`, running, log);
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: region,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    AWS_EC2_METADATA_DISABLED: "true",
  });
  return {
    endpoint,
    async stop() {
      if (running.pid === undefined || running.exitCode !== null) return;
      const ended = once(running, "exit");
      process.kill(-running.pid);
      await ended;
    },
  };
}

/** Runs a line of Python with botocore, which ministack brings along. */
export function runPython(line: string): void {
  execFileSync(join(installMinistack(), "bin/python"), ["-c", line], { stdio: "inherit" });
}

async function answering(url: string, running: ChildProcess, log: string): Promise<void> {
  while (running.exitCode === null) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return;
    await wait(50);
  }
  throw new Error(`ministack ended at once: see ${log}`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("There is no free port");
  return address.port;
}
