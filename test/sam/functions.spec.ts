import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { routes } from "#lib/contract/index.ts";
import { findRecords, Local } from "../../tools/scripts/sam/records.ts";
import { report } from "../support/report.ts";
import { temporaryFolder } from "../support/set-up.ts";
import { answersTo } from "./answers.ts";
import { type Execution, execute } from "./emulator.ts";
import { resolve, type SamFunction } from "./resolve.ts";
import { fetchSam } from "./sam.ts";

const sam = fetchSam();
if ("missing" in sam) throw new Error(sam.missing);

const triggers = [
  "PreTokenGeneration",
  "PostConfirmation",
  "Projections",
  "Events",
  "Deliver",
  "Reconcile",
  "CompactDirectory",
  "ExportAccounts",
].map((name) => `Triggers${name}`);
const names = [...routes.map(({ id }) => id), ...triggers];

let local: Local;
let every: readonly string[];
let functions: readonly SamFunction[];
let answers: ReturnType<typeof answersTo>;
const folder = temporaryFolder();
let stopStack: () => Promise<unknown>;

beforeAll(async () => {
  const stack = spawn(process.execPath, ["tools/local/start.ts", "--port", "0", "--folder", folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(stack, "exit");
  stopStack = () => {
    stack.kill();
    return ended;
  };
  await new Promise<void>((running, failed) => {
    let said = "";
    stack.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (said.includes("Odis is running")) running();
    });
    stack.once("exit", () => failed(new Error(`The stack ended: ${said}`)));
  });
  local = v.parse(Local, JSON.parse(await readFile(join(folder, "local.json"), "utf8")));
  answers = answersTo(await findRecords(local), local);

  run(process.execPath, "tools/scripts/events.ts", "--folder", folder, "--into", join(folder, "events"));
  run("cdk", "synth", "--quiet", "--output", join(folder, "cdk.out"));
  const template = join(folder, "cdk.out/odis-sandbox.template.json");
  ({ every, functions } = resolve(sam, { template, environment: join(folder, "env.json"), names }));
});

afterAll(() => stopStack());

const run = (command: string, ...given: string[]) =>
  execFileSync(command, given, { stdio: ["ignore", "ignore", "pipe"] });

const inits = new Map<string, number>();

const executed = async (name: string): Promise<Execution["result"]> => {
  const found = functions.find((one) => one.name === name);
  if (!found) throw new Error(`SAM finds no function ${name}`);
  const event = await readFile(join(folder, "events", `${name}.json`), "utf8");
  const { result, initMs } = await execute(sam, found, event);
  inits.set(name, initMs);
  return result;
};

describe("SAM", () => {
  it("SAM finds each route's function and each trigger by its name, and no others", () => {
    // CDK adds a function that copies the site.
    const own = every.filter((name) => !name.startsWith("CustomCDKBucketDeployment"));
    expect(own.toSorted()).toEqual(names.toSorted());
    expect(functions.map(({ name }) => name)).toEqual(names);
  });

  it("SAM runs the deployed bundle on Node 24", () => {
    for (const { runtime, handler, code } of functions) {
      expect({ runtime, handler }).toEqual({ runtime: "nodejs24.x", handler: "index.handler" });
      expect(code).toMatch(new RegExp(`^${join(folder, "cdk.out")}/asset\\.`));
    }
  });

  it("SAM points every variable that a function needs to the local stack", () => {
    // Variables that a function reads only if the secret itself is not set.
    const unneeded = new Set(["STRIPE_SECRET_ARN", "SEALING_KEY_ARN"]);
    for (const { name, environment } of functions) {
      const own = Object.entries(environment).filter(
        ([variable]) =>
          (variable.startsWith("AWS_ENDPOINT") || !variable.startsWith("AWS_")) && !unneeded.has(variable),
      );
      // An empty variable counts as missing.
      const wanted = own.map(([variable]): [string, unknown] => [variable, local.environment[variable] ?? ""]);
      expect([name, Object.fromEntries(own)]).toEqual([name, Object.fromEntries(wanted)]);
    }
  });
});

const Answer = v.object({ statusCode: v.number(), body: v.optional(v.string()) });

describe("Lambda's runtime", () => {
  it.each(routes)("Lambda's runtime runs $id", async ({ id, status = 200, output, path }) => {
    const { statusCode, body } = v.parse(Answer, await executed(id));
    // These examples are refused: no route matches, no delivery exists to resend, and the destination is disabled.
    const refusals: Record<string, number> = { DestinationsResend: 404, DestinationsResendMany: 409 };
    const refusal = path === "$default" ? 404 : refusals[id];
    expect(statusCode).toBe(refusal ?? status);
    const right = answers[id];
    if (!right) return expect(body ?? "").toBe("");
    const json: unknown = JSON.parse(body ?? "");
    if (output && refusal === undefined) v.parse(output, json);
    expect(json).toMatchObject(right);
  });

  it("Lambda's runtime runs TriggersPreTokenGeneration, which adds the user id to tokens", async () => {
    const claims = { claimsToAddOrOverride: { user_id: local.users.member } };
    expect(await executed("TriggersPreTokenGeneration")).toMatchObject({
      response: { claimsAndScopeOverrideDetails: { accessTokenGeneration: claims, idTokenGeneration: claims } },
    });
  });

  it("Lambda's runtime runs TriggersPostConfirmation, which returns the event", async () => {
    expect(await executed("TriggersPostConfirmation")).toMatchObject({ userName: "member", response: {} });
  });

  it("Lambda's runtime runs TriggersProjections, which counts all records", async () => {
    expect(await executed("TriggersProjections")).toEqual({ batchItemFailures: [] });
  });

  it("Lambda's runtime runs TriggersEvents, whose events the bus accepts", async () => {
    expect(await executed("TriggersEvents")).toEqual({ batchItemFailures: [] });
  });

  it("Lambda's runtime runs TriggersDeliver, which handles every message", async () => {
    expect(await executed("TriggersDeliver")).toEqual({ batchItemFailures: [] });
  });

  it("Lambda's runtime runs TriggersReconcile, which leaves nothing unfinished", async () => {
    expect(await executed("TriggersReconcile")).toMatchObject({ failed: 0, unfinished: 0, set_aside: 0 });
  });

  it("Lambda's runtime runs TriggersCompactDirectory, which returns nothing", async () => {
    expect(await executed("TriggersCompactDirectory")).toBeNull();
  });

  it("Lambda's runtime runs TriggersExportAccounts, which the local bucket refuses for its credentials", async () => {
    expect(await executed("TriggersExportAccounts")).toMatchObject({ errorType: "SignatureDoesNotMatch" });
  });

  it("Lambda's runtime reports the start time of each function", () => {
    expect([...inits.keys()].toSorted()).toEqual(names.toSorted());
    const slowestFirst = [...inits].toSorted(([, a], [, b]) => b - a);
    const median = slowestFirst[Math.floor(slowestFirst.length / 2)]?.[1] ?? 0;
    const lines = slowestFirst.map(([name, ms]) => `   ${name.padEnd(30)} ${ms.toFixed(0).padStart(5)} ms`);
    const sum = `${functions.length} functions resolved by SAM, ${inits.size} executed under Lambda's emulator`;
    report(`\n ${sum}; init, median ${median.toFixed(0)} ms:\n${lines.join("\n")}`);
  });
});
