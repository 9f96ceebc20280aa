import {
  CloudWatchClient,
  DescribeAlarmsCommand,
  type MetricAlarm,
  PutMetricAlarmCommand,
} from "@aws-sdk/client-cloudwatch";
import { CloudWatchLogsClient, DeleteRetentionPolicyCommand } from "@aws-sdk/client-cloudwatch-logs";
import { CognitoIdentityProviderClient, UpdateUserPoolCommand } from "@aws-sdk/client-cognito-identity-provider";
import {
  EventBridgeClient,
  ListTargetsByRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
  type Target,
} from "@aws-sdk/client-eventbridge";
import {
  LambdaClient,
  PutFunctionConcurrencyCommand,
  UpdateEventSourceMappingCommand,
  UpdateFunctionConfigurationCommand,
} from "@aws-sdk/client-lambda";
import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SendMessageCommand, SetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import Stripe from "stripe";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { eventTypes } from "#lib/billing/events.ts";
import { permissions } from "#lib/billing/permissions.ts";
import { clientOf } from "#lib/billing/stripe.ts";
import { controlOf } from "../../packages/stripe-stand-in/test/local.ts";
import type { Serving } from "../../tools/local/loopback.ts";
import { readStack, resourcesOf, revertDrift } from "../../tools/scripts/doctor/stack.ts";
import { deployedFunctions, stack } from "./deploy.ts";
import { report, runCommand } from "./doctor.ts";
import { startFront } from "./front.ts";
import { startMessageMoves } from "./message-moves.ts";

const { variables = {} } = inject("deployed") ?? {};
const { STRIPE_API_BASE: stripeUrl = "" } = variables;
const stripe = clientOf({ secret_key: "sk_test_local" }, stripeUrl);
const [lambda, sqs, secretsManager] = [new LambdaClient(), new SQSClient(), new SecretsManagerClient()];
const cloudWatch = new CloudWatchClient();
const [events, cognito] = [new EventBridgeClient(), new CognitoIdentityProviderClient()];

const setUp = "STRIPE_SECRET_KEY=sk_… STRIPE_READING_KEY=rk_… npm run stripe:setup -- --stage sandbox --replace";

/** An event that no destination gets, in a message of the bus. */
const ofNoCommunity = JSON.stringify({
  detail: {
    id: "evt_1",
    type: "user.updated",
    subject: "users/1",
    timestamp: "2026-11-27T12:00:00Z",
    community_id: null,
  },
});

let front: Serving;
let messageMoves: Serving;
let readingKey: string;
let deployed: Awaited<ReturnType<typeof readStack>>;
beforeAll(async () => {
  front = await startFront(inject("deployed")?.url ?? "");
  messageMoves = await startMessageMoves();
  deployed = await readStack("sandbox", new Date());
  ({ key: readingKey } = (await controlOf(stripeUrl)("keys", { permissions: permissions.read })) as { key: string });
  await runCommand(setUp, { url: front.url, readingKey });
  // The emulator deploys a table without backups and expiry, and nobody has run the migrations.
  for (const { command } of await reported()) await runCommand(command, { url: front.url, readingKey });
});
afterAll(async () => {
  await front.close();
  await messageMoves.close();
});

/** Name in AWS of the first resource of a type whose id in the template begins like this. */
function nameOf(type: string, prefix: string): string {
  const { name } = resourcesOf(deployed, type).find(({ id }) => id.startsWith(prefix)) ?? {};
  if (name === undefined) throw new Error(`No ${type} ${prefix}`);
  return name;
}
const queue = (prefix: string) => nameOf("AWS::SQS::Queue", prefix);
const output = (name: string) => deployed.outputs[name] ?? "";

/** Removes the endpoint of the stack's webhook. */
async function removeEndpoint(): Promise<void> {
  const { data } = await stripe.webhookEndpoints.list();
  const { id = "" } = data.find(({ url }) => url.startsWith(front.url)) ?? {};
  await stripe.webhookEndpoints.del(id);
}

/** A fault that somebody makes in a console, what doctor says, and the command that it names. */
type GameDayFault = {
  readonly says: RegExp;
  readonly command: RegExp;
  readonly make: () => Promise<unknown>;
  /** Mends the fault where the emulator does not have the command. */
  readonly mend?: () => Promise<unknown>;
  /** URL of SQS for the command, if it is not that of the emulator. */
  readonly sqsUrl?: () => string;
};

const revert = new RegExp(`^${revertDrift({ stage: "sandbox" })}$`);
const disabledName = `${stack}-BrandsList`;
let before: Record<string, string> = {};
let targets: Target[] = [];
let alarm: MetricAlarm = {};

async function describeAlarm(): Promise<MetricAlarm> {
  const { MetricAlarms: [found = {}] = [] } = await cloudWatch.send(
    new DescribeAlarmsCommand({ AlarmNames: [`${stack}-ServerErrors`] }),
  );
  return found;
}
const putAlarm = (change: Partial<MetricAlarm> = {}) => {
  const { AlarmName, EvaluationPeriods } = alarm;
  return cloudWatch.send(new PutMetricAlarmCommand({ ...alarm, AlarmName, EvaluationPeriods, ...change }));
};

/** The first six were chosen before anybody looked at what doctor checks. */
const faults: Readonly<Record<string, GameDayFault>> = {
  "update-user-pool without the triggers": {
    says: /^The user pool does not call TriggersPostConfirmation/,
    command: revert,
    make: () => cognito.send(new UpdateUserPoolCommand({ UserPoolId: output("UserPoolId"), LambdaConfig: {} })),
    mend: async () => {
      const arnOf = async (id: string) => (await deployedFunctions()).get(id)?.FunctionArn ?? "";
      const LambdaArn = await arnOf("TriggersPreTokenGeneration");
      const LambdaConfig = {
        PreTokenGenerationConfig: { LambdaArn, LambdaVersion: "V2_0" as const },
        PostConfirmation: await arnOf("TriggersPostConfirmation"),
      };
      await cognito.send(new UpdateUserPoolCommand({ UserPoolId: output("UserPoolId"), LambdaConfig }));
    },
  },
  "variables of a function edited by hand": {
    says: /^The variables of odis-sandbox-BrandsList differ from the template: TABLE_NAME, DEBUG\.$/,
    command: revert,
    make: async () => {
      before = (await deployedFunctions()).get("BrandsList")?.Environment?.Variables ?? {};
      const Variables = { ...before, TABLE_NAME: "odis", DEBUG: "1" };
      await lambda.send(
        new UpdateFunctionConfigurationCommand({ FunctionName: disabledName, Environment: { Variables } }),
      );
    },
    mend: () =>
      lambda.send(
        new UpdateFunctionConfigurationCommand({ FunctionName: disabledName, Environment: { Variables: before } }),
      ),
  },
  "the policy of a queue removed": {
    says: /^The policy of the queue DeliveriesQueue\w+ lacks statements of the template/,
    command: /^aws sqs set-queue-attributes /,
    make: () =>
      sqs.send(new SetQueueAttributesCommand({ QueueUrl: queue("DeliveriesQueue"), Attributes: { Policy: "" } })),
  },
  "concurrency 0 left after an incident": {
    says: /^0 concurrent executions are reserved for odis-sandbox-BrandsList, .* It never runs\.$/,
    command: /^aws lambda delete-function-concurrency --function-name odis-sandbox-BrandsList$/,
    make: () =>
      lambda.send(new PutFunctionConcurrencyCommand({ FunctionName: disabledName, ReservedConcurrentExecutions: 0 })),
  },
  "a secret stored with a newline at its end": {
    says: /^The key for secrets of event destinations: it begins or ends with white space/,
    command: /^aws secretsmanager update-secret-version-stage .* --version-stage AWSCURRENT /,
    make: async () => {
      const SecretId = output("SealingKeyArn");
      const { SecretString } = await secretsManager.send(new GetSecretValueCommand({ SecretId }));
      await secretsManager.send(new PutSecretValueCommand({ SecretId, SecretString: `${SecretString}\n` }));
    },
  },
  // The stand-in for Stripe cannot disable an endpoint.
  "an endpoint that was deleted in Stripe's dashboard": {
    says: /^Webhook: there is no endpoint for http/,
    command: / npm run stripe:setup -- --stage sandbox$/,
    make: removeEndpoint,
  },
  "an endpoint that lacks an event type": {
    says: /^Webhook we_\w+: it is not sent refund\.failed\.$/,
    command: / npm run stripe:setup -- --stage sandbox --replace$/,
    make: async () => {
      await removeEndpoint();
      await stripe.webhookEndpoints.create({
        url: `${front.url}/webhooks/stripe`,
        enabled_events: eventTypes.filter((type) => type !== "refund.failed"),
        api_version: Stripe.API_VERSION,
      });
    },
  },
  "a message in the dead-letter queue": {
    says: /^1 messages of the delivery queues failed/,
    command:
      /^aws sqs start-message-move-task --source-arn arn:aws:sqs:\S+DeadLetters\S+ --destination-arn arn:aws:sqs:\S+Queue\S+$/,
    make: () =>
      sqs.send(new SendMessageCommand({ QueueUrl: queue("DeliveriesDeadLetters"), MessageBody: ofNoCommunity })),
    sqsUrl: () => messageMoves.url,
  },
  "a log group that keeps its lines forever": {
    says: /^The log group \S+ keeps its lines forever, not for 7 days\.$/,
    command: /^aws logs put-retention-policy --log-group-name \S+ --retention-in-days 7$/,
    make: () =>
      new CloudWatchLogsClient().send(
        new DeleteRetentionPolicyCommand({ logGroupName: nameOf("AWS::Logs::LogGroup", "Logsroutes") }),
      ),
  },
  "a schedule whose target was removed": {
    says: /^The rule \w*Compact\w+ has no target: its schedule does not run\.$/,
    command: revert,
    make: async () => {
      const Rule = nameOf("AWS::Events::Rule", "TriggersCompactDirectory");
      ({ Targets: targets = [] } = await events.send(new ListTargetsByRuleCommand({ Rule })));
      await events.send(new RemoveTargetsCommand({ Rule, Ids: targets.map(({ Id }) => Id ?? "") }));
    },
    mend: () => {
      const Rule = nameOf("AWS::Events::Rule", "TriggersCompactDirectory");
      return events.send(new PutTargetsCommand({ Rule, Targets: targets }));
    },
  },
  "the event source mapping of a queue disabled": {
    says: /^The event source mapping of TriggersDeliver is disabled, so it reads nothing from the queue/,
    command: /^aws lambda update-event-source-mapping --uuid \S+ --enabled$/,
    make: () =>
      lambda.send(
        new UpdateEventSourceMappingCommand({
          UUID: nameOf("AWS::Lambda::EventSourceMapping", "DeliveriesMapping"),
          Enabled: false,
        }),
      ),
  },
  "an alarm without actions": {
    says: /^The alarm odis-sandbox-ServerErrors has no actions/,
    command: revert,
    make: async () => {
      alarm = await describeAlarm();
      await putAlarm({ AlarmActions: [] });
    },
    mend: () => putAlarm(),
  },
};

/** The faults that doctor reports, as `check: what it means`. */
async function reported() {
  return (await report(front.url)).flatMap(({ check, faults: found }) => found.map((fault) => ({ check, ...fault })));
}

it.each(Object.entries(faults))(
  "npm run doctor names the fault and the command that mends it, and no earlier fault: %s",
  async (_, { says, command, make, mend, sqsUrl }) => {
    await make();
    const found = await reported();
    const fault = found.find((one) => says.test(one.says));
    expect({ found, fault }).toMatchObject({ fault: { command: expect.stringMatching(command) as string } });
    expect(found.filter(({ check }) => check !== fault?.check)).toEqual([]);
    await (mend ? mend() : runCommand(fault?.command ?? "", { url: front.url, readingKey, sqsUrl: sqsUrl?.() }));
  },
);

it("npm run doctor finds no fault after all of them were mended", async () => {
  expect(await reported()).toEqual([]);
});
