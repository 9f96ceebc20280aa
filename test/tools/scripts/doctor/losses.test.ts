import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { settingsFor } from "../../../../infra/settings.ts";
import { type HttpRequest, type Serving, serve } from "../../../../tools/local/loopback.ts";
import { examine, exitCodeOf } from "../../../../tools/scripts/doctor/check.ts";
import { losses } from "../../../../tools/scripts/doctor/losses.ts";
import { protection } from "../../../../tools/scripts/doctor/protection.ts";
import type { CheckedStack } from "../../../../tools/scripts/doctor/stack.ts";
import { table } from "../../../../tools/scripts/doctor/table.ts";

let aws: Serving;
/** Whether AWS refuses to describe resources, instead of saying that they do not exist. */
let refuses = false;

/** Responds like AWS if a resource of a stack does not exist. */
async function respond({ method, headers }: HttpRequest) {
  if (method === "HEAD") return { status: refuses ? 403 : 404, headers: [], body: "" };
  const [, target] = headers.find(([name]) => name.toLowerCase() === "x-amz-target") ?? [];
  if (target === undefined) {
    const code = refuses ? "AuthorizationError" : "NotFound";
    const body = `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code></Error></ErrorResponse>`;
    return { status: refuses ? 403 : 404, headers: [["content-type", "text/xml"]] as const, body };
  }
  const code = target.startsWith("AmazonSQS") ? "QueueDoesNotExist" : "ResourceNotFoundException";
  const body = JSON.stringify({ __type: refuses ? "AccessDeniedException" : code, message: "" });
  return { status: 400, headers: [["content-type", "application/x-amz-json-1.1"]] as const, body };
}

beforeAll(async () => {
  aws = await serve({ port: 0, maxBodyBytes: 10_000 }, respond);
  vi.stubEnv("AWS_ENDPOINT_URL", aws.url);
  vi.stubEnv("AWS_MAX_ATTEMPTS", "1");
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await aws.close();
});

const resource = (ResourceType: string, LogicalResourceId: string, PhysicalResourceId: string) => ({
  ResourceType,
  LogicalResourceId,
  PhysicalResourceId,
  LastUpdatedTimestamp: undefined,
  ResourceStatus: undefined,
});

const stack: CheckedStack = {
  stage: "prod",
  region: "eu-central-1",
  status: "UPDATE_COMPLETE",
  hasTerminationProtection: true,
  outputs: { UserPoolId: "eu-central-1_1", TableName: "odis-prod-Table" },
  resources: [
    resource("AWS::SQS::Queue", "DeliveriesQueue", "https://sqs.eu-central-1.amazonaws.com/123456789012/queue"),
    resource("AWS::SNS::Topic", "AlarmsTopic", "arn:aws:sns:eu-central-1:123456789012:topic"),
    resource("AWS::S3::Bucket", "ErasuresBucket", "odis-prod-erasures"),
  ],
  isInMaintenance: false,
  settings: () => settingsFor("sandbox"),
  now: new Date("2026-11-27T12:00:00Z"),
};
const checks = [...protection, ...table, ...losses];

const revert =
  "npx cdk deploy odis-prod -c stage=prod --revert-drift --rollback-trigger-alarm-arns none --monitoring-time-minutes 0";

it("doctor reports a user pool, a table, a queue, a topic and a bucket that were deleted, each as one fault", async () => {
  const outcomes = await examine(checks, stack);
  const see = "See Losses in docs/operations.md for what was lost with it.";
  expect(outcomes.flatMap(({ faults }) => faults.map(({ says, command }) => `${says} | ${command}`))).toEqual([
    'The user pool eu-central-1_1 was deleted, so nobody can sign in. The command is the first step of "After the loss of the user pool" in docs/operations.md. | npm run deploy -- --stage prod -c maintenance=true',
    "The table odis-prod-Table was deleted. See Losses in docs/operations.md: DynamoDB keeps a backup of it for 35 days, which aws dynamodb list-backups --backup-type ALL lists. | npm run restore -- --stage prod --to odis-restored --backup <BackupArn>",
    `The queue DeliveriesQueue was deleted. ${see} | ${revert}`,
    `The topic AlarmsTopic was deleted. ${see} | ${revert}`,
    `The bucket ErasuresBucket was deleted. ${see} | ${revert}`,
  ]);
  expect(exitCodeOf(outcomes)).toBe(1);
});

it("doctor does not report resources that it may not describe as deleted", async () => {
  refuses = true;
  const outcomes = await examine(checks, stack);
  refuses = false;
  expect(outcomes.flatMap(({ faults }) => faults)).toEqual([]);
  expect(outcomes.filter(({ unchecked }) => unchecked === undefined).map(({ check }) => check)).toEqual(["stack"]);
});
