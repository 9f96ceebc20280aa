import { expect, it } from "vitest";
import { type Check, examine, exitCodeOf, linesOf } from "../../../../tools/scripts/doctor/check.ts";
import type { CheckedStack } from "../../../../tools/scripts/doctor/stack.ts";

const stack: CheckedStack = {
  stage: "sandbox",
  region: "eu-central-1",
  status: "UPDATE_COMPLETE",
  hasTerminationProtection: false,
  outputs: {},
  resources: [],
  isInMaintenance: false,
  settings: () => {
    throw new Error("stages/sandbox.json is not JSON");
  },
  now: new Date(),
};

class AccessDeniedException extends Error {
  override name = "AccessDeniedException";
  readonly $metadata = {};
}

const well: Check = { name: "table", look: async () => [] };
const faulty: Check = { name: "rules", look: async () => [{ says: "It is disabled.", command: "aws events" }] };
const refused: Check = {
  name: "alarms",
  look: async () => {
    throw new AccessDeniedException("User: nobody is not authorized\nmore");
  },
};
const unset: Check = { name: "certificates", look: async ({ settings }) => [settings().stage] as never };

it("each fault is a line with its command, and a check that fails does not hide the others", async () => {
  const outcomes = await examine([refused, faulty, well, unset], stack);
  expect(linesOf(outcomes)).toEqual([
    "WRONG  rules: It is disabled. Run: aws events",
    "?      alarms: could not be checked: AccessDeniedException: User: nobody is not authorized",
    "?      certificates: could not be checked: stages/sandbox.json is not JSON",
    "4 checks: 1 faults, 2 could not be checked",
  ]);
});

it("the exit code is 1 for a fault, 2 if a check could not look, and 0 if all is well", async () => {
  const codeOf = async (...checks: readonly Check[]) => exitCodeOf(await examine(checks, stack));
  expect(await codeOf(well)).toBe(0);
  expect(await codeOf(well, refused)).toBe(2);
  expect(await codeOf(refused, faulty)).toBe(1);
  expect(linesOf(await examine([well], stack))).toEqual(["1 checks: no faults, none could not be checked"]);
});
