import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readProgress, runSteps } from "../../../tools/scripts/try-on-aws/run-steps.ts";
import { cleanUp, commandAt, type Step, skippedOf, stage, stepsOf } from "../../../tools/scripts/try-on-aws/steps.ts";
import { temporaryFolder } from "../../support/set-up.ts";

const folder = temporaryFolder();
const keys = { secretKey: "sk_test_1", readingKey: "rk_test_1" };
const namesOf = (steps: readonly Step[]) => steps.map(({ name }) => name);

/** Runs the steps. Each takes two seconds. @param failing the step that fails */
async function runAll(file: string, failing?: string, skipped: readonly string[] = [], settings?: string) {
  const [executed, printed]: [string[], string[]] = [[], []];
  let now = 0;
  const isDone = await runSteps(stepsOf(keys), {
    file,
    progress: (await readProgress(file)) ?? {
      started_at: "2026-11-27T12:00:00Z",
      seconds: {},
      ...(settings && { settings_file: settings }),
    },
    skipped,
    async execute({ name }) {
      executed.push(name);
      now += 2000;
      return name === failing ? 3 : 0;
    },
    clock: () => now,
    print: (line) => printed.push(line),
  });
  return { isDone, executed, printed };
}

it("npm run try:aws stops at a step that fails, and resumes with it when it is run again", async () => {
  const file = join(folder, "data/progress.json");
  const all = namesOf(stepsOf(keys));
  const first = await runAll(file, "API tests");
  expect(first).toMatchObject({ isDone: false, executed: all.slice(0, all.indexOf("API tests") + 1) });
  expect(first.printed).toContain("done    deploy (2 s)");
  expect(first.printed.at(-1)).toBe(
    "FAILED  API tests after 2 s, with exit code 3: npx vitest run --config test/deployed/endpoint.config.ts",
  );

  const second = await runAll(file);
  expect(second).toMatchObject({ isDone: true, executed: all.slice(all.indexOf("API tests")) });
  expect(second.printed[0]).toBe("done    deploy (2 s, in an earlier run)");
  expect(existsSync(file)).toBe(false);
});

it("npm run try:aws removes the settings that it created after the last step, also if it was interrupted", async () => {
  const [file, settings] = [join(folder, "settings-progress.json"), join(folder, "sandbox-try.json")];
  await writeFile(settings, "{}");
  await runAll(file, "destroy", [], settings);
  expect(existsSync(settings)).toBe(true);
  await runAll(file);
  expect(existsSync(settings)).toBe(false);
});

it("npm run try:aws names no other stage than its own, and deletes no other table than the restored one", () => {
  for (const { command, env } of stepsOf(keys)) {
    const text = [...command, ...Object.values(env ?? {})].join(" ");
    expect(text.replaceAll(stage, "")).not.toMatch(/prod|sandbox/);
  }
  expect(stepsOf(keys).at(-1)?.command).toEqual(["npm", "run", "destroy", "--", "--stage", stage, "--yes"]);
  const deletion = stepsOf(keys).find(({ name }) => name === "delete the restored table");
  expect(deletion?.command.at(-1)).toBe(`odis-${stage}-restored`);
});

it("npm run try:aws leaves out the steps that need Stripe if a key is missing", () => {
  const contract = "contract of the stand-in for Stripe";
  const ofStripe = ["set up Stripe", "doctor", contract, "remove the endpoint from Stripe"];
  expect(namesOf(stepsOf(keys))).toEqual(expect.arrayContaining(ofStripe));
  const without = namesOf(stepsOf({ secretKey: "sk_test_1" }));
  expect(without).toEqual(namesOf(stepsOf(keys)).filter((name) => !ofStripe.includes(name)));
});

it("npm run try:aws restores to a time for which DynamoDB has backups when the step begins", () => {
  const [restore] = stepsOf(keys).filter(({ name }) => name === "restore");
  expect(restore && commandAt(restore, new Date("2026-11-27T12:00:00Z")).at(-1)).toBe("2026-11-27T11:54:00.000Z");
});

it("npm run try:aws resumes an interrupted restore with the time to which it has begun to restore", () => {
  const [restore] = stepsOf(keys).filter(({ name }) => name === "restore");
  const [now, begun] = [new Date("2026-11-27T12:00:00Z"), new Date("2026-11-27T11:30:00Z")];
  expect(restore && commandAt(restore, now, begun).at(-1)).toBe("2026-11-27T11:30:00.000Z");
});

it("npm run try:aws -- --destroy removes the endpoint from Stripe only if it was created", () => {
  const created = { done: { deploy: 1, "set up Stripe": 1 }, hasRestoredTable: false };
  expect(namesOf(cleanUp(stepsOf(keys), created))).toEqual(["remove the endpoint from Stripe", "destroy"]);
});

it("npm run try:aws -- --destroy deletes the restored table only if there is one, also after an interrupted restore", () => {
  const created = (hasRestoredTable: boolean) =>
    namesOf(cleanUp(stepsOf(keys), { done: { deploy: 1 }, hasRestoredTable }));
  expect(created(false)).toEqual(["destroy"]);
  expect(created(true)).toEqual(["delete the restored table", "destroy"]);
});

it("npm run try:aws -- --skip leaves out a step, says so, and runs the others", async () => {
  const { isDone, executed, printed } = await runAll(join(folder, "skipped.json"), undefined, ["doctor"]);
  expect(isDone).toBe(true);
  expect(executed).toEqual(namesOf(stepsOf(keys)).filter((name) => name !== "doctor"));
  expect(printed).toContain("SKIPPED doctor");
});

it("npm run try:aws -- --skip restore also leaves out the deletion of a table that is then not restored", () => {
  const skip = (names: readonly string[], done = {}) => skippedOf(names, { steps: stepsOf(keys), done });
  expect(skip(["restore"])).toEqual(["restore", "delete the restored table"]);
  expect(skip(["restore"], { restore: 1 })).toEqual(["restore"]);
  expect(() => skip(["destroy"])).toThrow('The step "destroy" cannot be skipped. Skippable: migrate, set up Stripe');
});

it("npm run try:aws does not wait for a key in the pager of the AWS CLI", () => {
  const ofAwsCli = stepsOf(keys).filter(({ command }) => command[0] === "aws");
  expect(ofAwsCli.map(({ env }) => env)).toEqual([{ AWS_PAGER: "" }]);
});
