import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { CloudWatchClient, DisableAlarmActionsCommand, SetAlarmStateCommand } from "@aws-sdk/client-cloudwatch";
import { DynamoDBClient, UpdateContinuousBackupsCommand, UpdateTimeToLiveCommand } from "@aws-sdk/client-dynamodb";
import { DisableRuleCommand, EventBridgeClient, ListRulesCommand } from "@aws-sdk/client-eventbridge";
import { LambdaClient, ListEventSourceMappingsCommand, UpdateEventSourceMappingCommand } from "@aws-sdk/client-lambda";
import { PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { DeleteSecretCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import {
  GetQueueAttributesCommand,
  ListQueuesCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { permissions } from "#lib/billing/permissions.ts";
import { clientOf } from "#lib/billing/stripe.ts";
import { controlOf } from "../../packages/stripe-stand-in/test/local.ts";
import type { Serving } from "../../tools/local/loopback.ts";
import { cloudFormation } from "../../tools/scripts/deploy/cloudformation.ts";
import { deployedFunctions, project, putSecret, stack } from "./deploy.ts";
import { doctor, report as reportOf, runCommand } from "./doctor.ts";
import { startFront } from "./front.ts";

const { variables = {} } = inject("deployed") ?? {};
const { STRIPE_API_BASE: stripeUrl = "" } = variables;

const report = () => reportOf(front.url);

const sqs = new SQSClient();
const [s3, lambda, dynamodb] = [new S3Client({ forcePathStyle: true }), new LambdaClient(), new DynamoDBClient()];
let outputs: Readonly<Record<string, string>>;
let readingKey: string;
let front: Serving;
beforeAll(async () => {
  front = await startFront(inject("deployed")?.url ?? "");
  outputs = (await cloudFormation().describe(stack))?.outputs ?? {};
  ({ key: readingKey } = (await controlOf(stripeUrl)("keys", { permissions: permissions.read })) as { key: string });
});

afterAll(() => front.close());

async function disableRule(bus: string): Promise<void> {
  const client = new EventBridgeClient();
  const { Rules = [] } = await client.send(new ListRulesCommand({ EventBusName: bus, NamePrefix: stack }));
  await client.send(new DisableRuleCommand({ EventBusName: bus, Name: Rules[0]?.Name }));
}

async function deadLettersUrl(): Promise<string> {
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({ QueueNamePrefix: stack }));
  return QueueUrls.find((url) => url.includes("DeadLetters")) ?? "";
}

/** Faults that somebody makes, what the doctor says about each, and how. */
const faults: readonly (readonly [check: string, says: RegExp, make: () => Promise<unknown>])[] = [
  [
    "alarms",
    /^The actions of the alarm odis-sandbox-ServerErrors are disabled/,
    () => new CloudWatchClient().send(new DisableAlarmActionsCommand({ AlarmNames: [`${stack}-ServerErrors`] })),
  ],
  [
    "event source mappings",
    /^The event source mapping of Triggers\w+ is disabled, so it reads nothing from the stream/,
    async () => {
      const { EventSourceMappings = [] } = await lambda.send(new ListEventSourceMappingsCommand({}));
      const [mapping] = EventSourceMappings.filter(({ EventSourceArn }) => EventSourceArn?.includes(":dynamodb:"));
      await lambda.send(new UpdateEventSourceMappingCommand({ UUID: mapping?.UUID, Enabled: false }));
    },
  ],
  // Nothing has run them since the stack was deployed.
  ["migrations", /^\d+ migrations have not run to their end/, async () => {}],
  ["rules and schedules", /Schedule\w+ is disabled: its schedule does not run/, () => disableRule("default")],
  ["rules and schedules", /is disabled: no events are forwarded/, () => disableRule(outputs.EventBusName ?? "")],
  [
    "records set aside",
    /^A consumer of the table's stream gave up on records/,
    async () => {
      const functionArn = (await deployedFunctions()).get("TriggersEvents")?.FunctionArn;
      const Body = JSON.stringify({ requestContext: { functionArn }, payload: JSON.stringify({ Records: [] }) });
      const Key = "aws/lambda/1/shardId-1/2026/11/22/2026-11-22T12.00.00-1";
      await s3.send(new PutObjectCommand({ Bucket: outputs.FailedRecordsBucketName, Key, Body }));
    },
  ],
  [
    "secret with the sealing key",
    /^The key for secrets of event destinations: the secret is about to be deleted/,
    () => new SecretsManagerClient().send(new DeleteSecretCommand({ SecretId: outputs.SealingKeyArn })),
  ],
  // Before the read-only key, because stripe:setup exits with 1 while the endpoint is wrong.
  [
    "Stripe's webhook endpoint, portal and permissions",
    /^Webhook we_\w+: it is not sent refund\.failed\.$/,
    () =>
      clientOf({ secret_key: "sk_test_local" }, stripeUrl).webhookEndpoints.create({
        url: `${front.url}/webhooks/stripe`,
        enabled_events: ["invoice.paid"],
      }),
  ],
  [
    "secret with Stripe's read-only key",
    /^Stripe's read-only key: nothing usable is stored/,
    () => putSecret(outputs.StripeReadingSecretArn ?? "", {}),
  ],
  [
    "backups of the table",
    /^Point-in-time recovery of the table is off/,
    () =>
      dynamodb.send(
        new UpdateContinuousBackupsCommand({
          TableName: outputs.TableName,
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false },
        }),
      ),
  ],
  [
    "expiry of items",
    /^Expired items of the table are not deleted/,
    () =>
      dynamodb.send(
        new UpdateTimeToLiveCommand({
          TableName: outputs.TableName,
          TimeToLiveSpecification: { Enabled: false, AttributeName: "expires_at" },
        }),
      ),
  ],
];

it("npm run doctor names each fault that somebody made, and the commands that it prints mend them", async () => {
  for (const [, , make] of faults) await make();
  const found = await report();
  const commands: string[] = [];
  for (const [check, says] of faults) {
    const fault = found.find((one) => one.check === check)?.faults.find((one) => says.test(one.says));
    expect({ check, says, fault }).toMatchObject({ fault: { command: expect.any(String) as string } });
    commands.push(fault?.command ?? "");
  }
  for (const command of new Set(commands)) await runCommand(command, { url: front.url, readingKey });

  const after = await report();
  for (const [check, says] of faults)
    expect(after.find((one) => one.check === check)?.faults.filter((one) => says.test(one.says))).toEqual([]);
});

it("npm run doctor names the alarms that fire, with the first command of their sections in docs/operations.md", async () => {
  const state = (StateValue: "ALARM" | "OK") =>
    new CloudWatchClient().send(
      new SetAlarmStateCommand({ AlarmName: `${stack}-SignInFails`, StateValue, StateReason: "test" }),
    );
  await state("ALARM");
  const { code, out } = await doctor(front.url);
  await state("OK");
  expect(code).toBe(1);
  expect(out).toMatch(
    /WRONG {2}alarms: odis-sandbox-SignInFails has been firing since .*: People cannot sign in .* Run: npm run logs -- --stage sandbox Errors --since 30m --function TriggersPreTokenGeneration\n/,
  );
});

it("a check that cannot look is listed with the reason, and the others are made", async () => {
  const QueueUrl = await deadLettersUrl();
  const setPolicy = (Policy: string) => sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
  const { Attributes: { Policy = "" } = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["Policy"] }),
  );
  const refusal = { Effect: "Deny", Principal: "*", Action: "sqs:GetQueueAttributes", Resource: "*" };
  await setPolicy(JSON.stringify({ Version: "2012-10-17", Statement: [refusal] }));
  const checks = await report();
  await setPolicy(Policy);
  expect(checks.find(({ check }) => check === "dead letters")).toMatchObject({
    faults: [],
    unchecked: expect.stringContaining("AccessDenied") as string,
  });
  expect(checks.filter(({ unchecked }) => unchecked === undefined).length).toBeGreaterThan(15);
});

it("npm run doctor of a stage without a stack says so and exits with 2", async () => {
  const args = ["tools/scripts/doctor.ts", "--stage", "prod"];
  await expect(promisify(execFile)(process.execPath, args, { cwd: project })).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^Nothing could be checked: .*odis-prod does not exist\n$/) as string,
  });
});
