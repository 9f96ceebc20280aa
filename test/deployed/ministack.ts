import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { pythonEnvironment } from "../../tools/build/python.ts";
import { freePort } from "../../tools/local/dynamodb/process.ts";

export const region = "eu-central-1";
export const account = "000000000000";

/**
 * Installs ministack, an emulator of AWS. It tests the template, roles, stream and Cognito together without an AWS
 * account. `deploy.ts` works around its defects. Throttles, alarms and dead-letter queues are tested in the template
 * only. Ministack's Cognito issues tokens without a valid signature.
 * @throws Error if Python or its packages cannot be installed
 */
export const installMinistack = (): string => pythonEnvironment({ ministack: "1.5.33", cryptography: "50.0.2" });

export type Ministack = {
  readonly endpoint: string;
  readonly stop: () => Promise<void>;
};

/**
 * Starts an empty AWS account on this machine. Every call needs an IAM permission (`AUTH`). Afterwards, this process
 * and its child processes use the root credentials of the account.
 */
export async function startMinistack(folder: string): Promise<Ministack> {
  const port = await freePort();
  const log = join(folder, "ministack.log");
  const output = openSync(log, "a");
  const running = spawn(join(installMinistack(), "bin/ministack"), {
    cwd: folder,
    // Functions inherit ministack's environment, so it contains only what they need.
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
    // Makes a process group that includes the processes of ministack's functions.
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

/** Runs a line of Python with botocore, which is installed with ministack. */
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
