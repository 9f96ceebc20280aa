import { expect, it } from "vitest";
import { settingsFor } from "../../../../infra/settings.ts";
import { refusalsOf } from "../../../../tools/scripts/deploy/refusals.ts";

const file = { allowOrigins: ["https://app.example.com"] };
const account = { region: "eu-central-1", isBootstrapped: true, concurrentExecutions: 1000 };
const quota = (has: number, needs: number) =>
  `Lambda allows ${has} concurrent executions in eu-central-1, but sandbox needs ${needs}: raise the quota "Concurrent executions" of Lambda in Service Quotas, or lower throttle in stages/sandbox.json.`;

it.each([
  ["all is well", {}, {}, []],
  [
    "no origin is allowed",
    { allowOrigins: [] },
    {},
    ["stages/sandbox.json: allowOrigins is missing: checkout would refuse every redirect URL."],
  ],
  [
    "the CDK is not set up",
    {},
    { isBootstrapped: false },
    ["The CDK has not been set up in eu-central-1: run npx cdk bootstrap."],
  ],
  ["the account is new", {}, { concurrentExecutions: 10 }, [quota(10, 50)]],
  ["as many run at once as requests come in a second", {}, { concurrentExecutions: 50 }, []],
  [
    "the file lets fewer requests in",
    { throttle: { rateLimit: 10, burstLimit: 10 } },
    { concurrentExecutions: 10 },
    [],
  ],
  [
    "executions are reserved, and AWS keeps 100 for the rest",
    { reservedConcurrency: { webhook: 5, signIn: 5, schedules: 1 } },
    { concurrentExecutions: 111 },
    [quota(111, 112)],
  ],
  ["as many are left", { reservedConcurrency: { schedules: 1 } }, { concurrentExecutions: 102 }, []],
])("a sandbox is deployed, or refused with one sentence for each reason, where %s", (_, change, found, refusals) => {
  const settings = settingsFor("sandbox", { ...file, ...change });
  expect(refusalsOf(settings, { ...account, ...found })).toEqual(refusals);
});
