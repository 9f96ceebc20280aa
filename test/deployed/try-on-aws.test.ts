import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { permissions } from "#lib/billing/permissions.ts";
import cdkJson from "../../cdk.json" with { type: "json" };
import { controlOf } from "../../packages/stripe-stand-in/test/local.ts";
import type { Serving } from "../../tools/local/loopback.ts";
import { cloudFormation } from "../../tools/scripts/deploy/cloudformation.ts";
import { stage } from "../../tools/scripts/try-on-aws/steps.ts";
import { adapt, copyProject, deployedFunctions, project } from "./deploy.ts";
import { awsCli, runCommand } from "./doctor.ts";
import { startFront } from "./front.ts";

const { variables = {}, folder = "" } = inject("deployed") ?? {};
const stack = `odis-${stage}`;

/** Folder of another working copy, whose CDK app ends with the adaptation of the template to ministack. */
let copy: string;
let front: Serving;
let readingKey: string;
beforeAll(async () => {
  front = await startFront(
    async () => `${process.env.AWS_ENDPOINT_URL}/_aws/execute-api/${(await outputsNow()).HttpApiId}/$default`,
  );
  copy = copyProject({});
  for (const part of ["test", "vitest.config.ts"]) cpSync(join(project, part), join(copy, part), { recursive: true });
  const adaptation = ["node", join(import.meta.dirname, "adapt-assembly.ts"), stack, folder, front.url].join(" ");
  writeFileSync(join(copy, "cdk.json"), JSON.stringify({ ...cdkJson, app: `${cdkJson.app} && ${adaptation}` }));
  const control = controlOf(variables.STRIPE_API_BASE ?? "");
  ({ key: readingKey } = (await control("keys", { permissions: permissions.read })) as { key: string });
});
afterAll(async () => {
  await front.close();
  rmSync(copy, { recursive: true });
});

const outputsNow = async () => (await cloudFormation().describe(stack))?.outputs ?? {};

/** Runs the command like a person. @param interruptAfter the step after which the person presses Ctrl-C */
async function tryOnAws(interruptAfter?: string) {
  const env = {
    ...process.env,
    ...variables,
    CDK_VALIDATION: "false",
    STRIPE_SECRET_KEY: "sk_test_local",
    STRIPE_READING_KEY: readingKey,
    PATH: `${awsCli()}:${process.env.PATH}`,
  };
  // The contract of the stand-in is that of Stripe, which cannot be reached here.
  const words = ["run", "try:aws", "--", "--yes", "--skip", "contract of the stand-in for Stripe"];
  const child = spawn("npm", words, { cwd: copy, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  let isInterrupted = interruptAfter === undefined;
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (text: Buffer) => {
      out += stripVTControlCharacters(text.toString());
      if (isInterrupted || !out.includes(`done    ${interruptAfter} (`)) return;
      isInterrupted = true;
      process.kill(-(child.pid ?? 0), "SIGINT");
    });
  await once(child, "close");
  return { code: child.exitCode, out, steps: out.match(/^(?:done|FAILED|SKIPPED) .*$/gm) ?? [] };
}

const doneNow = (step: string) => expect.stringMatching(new RegExp(`^done    ${step} \\(\\d+ s\\)$`)) as string;
const doneEarlier = (step: string) =>
  expect.stringMatching(new RegExp(`^done    ${step} \\(\\d+ s, in an earlier run\\)$`)) as string;

const progressFile = () => join(copy, ".odis/try-on-aws.json");

it("npm run try:aws deploys a stage, and what it did remains if it is interrupted", async () => {
  const { code, steps } = await tryOnAws("deploy");
  expect(code).not.toBe(0);
  expect(steps).toEqual([doneNow("deploy")]);
  expect(JSON.parse(readFileSync(progressFile(), "utf8"))).toMatchObject({ seconds: { deploy: expect.any(Number) } });
  const { StripeSecretArn = "", StripeReadingSecretArn = "", SealingKeyArn = "" } = await outputsNow();
  await adapt({ StripeSecretArn, StripeReadingSecretArn, SealingKeyArn }, stack);
});

it("npm run try:aws resumes after an interruption, and stops at the faults that doctor reports", async () => {
  const { code, out, steps } = await tryOnAws();
  expect(code).toBe(1);
  expect(steps).toEqual([
    doneEarlier("deploy"),
    doneNow("migrate"),
    doneNow("set up Stripe"),
    expect.stringMatching(/^FAILED {2}doctor after \d+ s, with exit code 1: npm run doctor -- --stage sandbox-try$/),
  ]);
  // The emulator deploys a table without backups and expiry.
  expect(out.match(/^WRONG {2}[\w ]+/gm)).toEqual(["WRONG  backups of the table", "WRONG  expiry of items"]);
  for (const [, command = ""] of out.matchAll(/^WRONG .* Run: (.*)$/gm))
    await runCommand(command, { url: front.url, readingKey });
});

it("npm run try:aws tests, restores and destroys the stage once its faults are mended, and leaves nothing", async () => {
  const { code, out, steps } = await tryOnAws();
  expect(steps).toEqual([
    ...["deploy", "migrate", "set up Stripe"].map(doneEarlier),
    doneNow("doctor"),
    "SKIPPED contract of the stand-in for Stripe",
    ...["API tests", "restore", "delete the restored table", "remove the endpoint from Stripe", "destroy"].map(doneNow),
  ]);
  expect(code).toBe(0);
  expect(out).toMatch(/Tests {2}\d+ passed \(\d+\)/);
  expect(out).toMatch(/^Removed we_/m);
  expect(await cloudFormation().describe(stack)).toBeUndefined();
  expect([...(await deployedFunctions(stack)).keys()]).toEqual([]);
  const { TableNames = [] } = await new DynamoDBClient().send(new ListTablesCommand());
  expect(TableNames.filter((name) => name.startsWith(stack))).toEqual([]);
  expect(existsSync(progressFile())).toBe(false);
  expect(existsSync(join(copy, `stages/${stage}.json`))).toBe(false);
});
