import { expect, it } from "vitest";
import { clearTriggers, triggerOptions } from "../../../../tools/scripts/deploy/triggers.ts";

const alarms = ["arn:a", "arn:b"];
const options = { monitor: 10, triggers: true, context: [] };

it("each alarm that rolls a deployment back has an option of its own, because the CDK CLI reads one value of each", () => {
  expect(triggerOptions(alarms, options).join(" ")).toBe(
    "--rollback-trigger-alarm-arns arn:a --rollback-trigger-alarm-arns arn:b --monitoring-time-minutes 10",
  );
});

it.each([
  ["is deployed with --no-triggers", alarms, { ...options, triggers: false }],
  ["is put into maintenance", alarms, { ...options, context: ["maintenance=true"] }],
  ["has no alarms", [], options],
])(
  "a stack that %s loses the triggers of earlier deployments, which CloudFormation would apply again",
  (_, arns, given) => {
    expect(triggerOptions(arns, given)).toEqual(clearTriggers);
  },
);

it("the first deployment of a stack has no options for triggers", () => {
  expect(triggerOptions(undefined, options)).toEqual([]);
});
