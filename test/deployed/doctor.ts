import { exec, execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import * as v from "valibot";
import { inject } from "vitest";
import { pythonEnvironment } from "../../tools/build/python.ts";
import { project } from "./deploy.ts";

const { variables = {} } = inject("deployed") ?? {};

const Report = v.object({
  stage: v.string(),
  checks: v.array(
    v.object({
      check: v.string(),
      faults: v.array(v.object({ says: v.string(), command: v.string() })),
      unchecked: v.optional(v.string()),
    }),
  ),
});

/** Runs `npm run doctor` like an operator. @param url of the site and the API */
export async function doctor(url: string, ...words: readonly string[]) {
  const args = ["tools/scripts/doctor.ts", "--stage", "sandbox", "--api-url", url, ...words];
  const options = { cwd: project, env: { ...process.env, ...variables } };
  const { code, stdout } = await promisify(execFile)(process.execPath, args, options).then(
    (done) => ({ ...done, code: 0 }),
    (failed: { code: number; stdout: string }) => failed,
  );
  return { code, out: stdout };
}

/** The checks that `npm run doctor -- --json` prints. */
export const report = async (url: string) => v.parse(Report, JSON.parse((await doctor(url, "--json")).out)).checks;

/** Installs the AWS CLI. @returns the folder with its program */
export const awsCli = (): string => join(pythonEnvironment({ awscli: "1.45.11" }), "bin");

type CommandOptions = {
  /** URL of the site and the API. */
  readonly url: string;
  readonly readingKey: string;
  /** URL of SQS. Default: the emulator. */
  readonly sqsUrl?: string | undefined;
};

/** Runs a command of the report with the AWS CLI and keys of the stand-in for Stripe. */
export async function runCommand(
  command: string,
  { url, readingKey, sqsUrl = process.env.AWS_ENDPOINT_URL }: CommandOptions,
) {
  // The AWS CLI ignores AWS_ENDPOINT_URL for SQS.
  const endpoint = command.startsWith("aws sqs") ? ` --endpoint-url ${sqsUrl}` : "";
  const option = command.includes("stripe:setup") ? ` --api-url ${url}` : endpoint;
  const text = command.replace("sk_…", "sk_test_local").replace("rk_…", readingKey) + option;
  const env = { ...process.env, ...variables, PATH: `${awsCli()}:${process.env.PATH}` };
  await promisify(exec)(text, { cwd: project, env });
}
