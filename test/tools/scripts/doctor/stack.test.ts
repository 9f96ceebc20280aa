import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type Serving, serve } from "../../../../tools/local/loopback.ts";
import { readStack } from "../../../../tools/scripts/doctor/stack.ts";

let aws: Serving;
/** Whether the deployed template enables the actions of alarms. */
let ActionsEnabled = true;

/** Responds like CloudFormation, and like Lambda in an account in which no function may run. */
async function respond(body: string) {
  const action = new URLSearchParams(body).get("Action") ?? "";
  const Alarm = { Type: "AWS::CloudWatch::Alarm", Properties: { ActionsEnabled } };
  const results: Readonly<Record<string, string>> = {
    DescribeStacks: "<Stacks><member><StackStatus>UPDATE_COMPLETE</StackStatus></member></Stacks>",
    ListStackResources: "<StackResourceSummaries></StackResourceSummaries>",
    GetTemplate: `<TemplateBody>${JSON.stringify({ Resources: { Alarm } })}</TemplateBody>`,
  };
  const xml = `<${action}Response><${action}Result>${results[action]}</${action}Result></${action}Response>`;
  return {
    status: 200,
    headers: [["content-type", action ? "text/xml" : "application/json"]] as const,
    body: action ? xml : '{"ReservedConcurrentExecutions":0}',
  };
}

beforeAll(async () => {
  aws = await serve({ port: 0, maxBodyBytes: 10_000 }, ({ body }) => respond(String(body)));
  vi.stubEnv("AWS_ENDPOINT_URL", aws.url);
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await aws.close();
});

const isInMaintenance = async () => (await readStack("prod", new Date(0))).isInMaintenance;

it("doctor does not take a schedule that somebody stopped for maintenance", async () => {
  expect(await isInMaintenance()).toBe(false);
});

it("doctor recognizes maintenance by the deployed template", async () => {
  ActionsEnabled = false;
  expect(await isInMaintenance()).toBe(true);
});
