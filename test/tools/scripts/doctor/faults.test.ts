import type { MetricAlarm } from "@aws-sdk/client-cloudwatch";
import { describe, expect, it } from "vitest";
import { tableSchema } from "#lib/store/table-schema.ts";
import { settingsFor } from "../../../../infra/settings.ts";
import { accountExportFaults } from "../../../../tools/scripts/doctor/account-exports.ts";
import { alarmFaults } from "../../../../tools/scripts/doctor/alarms.ts";
import { apiFaults } from "../../../../tools/scripts/doctor/api.ts";
import { certificateFaults, certificatesIn } from "../../../../tools/scripts/doctor/certificates.ts";
import { accountFaults, identityFaults, senderRegionFaults } from "../../../../tools/scripts/doctor/email.ts";
import { failedRecordFaults } from "../../../../tools/scripts/doctor/failed-records.ts";
import { functionFaults } from "../../../../tools/scripts/doctor/functions.ts";
import { logGroupFaults } from "../../../../tools/scripts/doctor/logs.ts";
import { mappingFaults } from "../../../../tools/scripts/doctor/mappings.ts";
import { migrationFaults } from "../../../../tools/scripts/doctor/migrations.ts";
import { poolFaults, stackFaults } from "../../../../tools/scripts/doctor/protection.ts";
import { queuePolicyFaults } from "../../../../tools/scripts/doctor/queue-policies.ts";
import { deadLetterFaults, lateFaults } from "../../../../tools/scripts/doctor/queues.ts";
import { concurrencyFaults, policyFaults } from "../../../../tools/scripts/doctor/quotas.ts";
import { ruleFaults } from "../../../../tools/scripts/doctor/rules.ts";
import { commandOf } from "../../../../tools/scripts/doctor/runbook.ts";
import { type SecretState, secretFaults } from "../../../../tools/scripts/doctor/secrets.ts";
import { keyFaults, setupFaults } from "../../../../tools/scripts/doctor/stripe.ts";
import { subscriptionFaults } from "../../../../tools/scripts/doctor/subscriptions.ts";
import {
  backupFaults,
  ceilingFaults,
  expiryFaults,
  indexFaults,
  tableFaults,
} from "../../../../tools/scripts/doctor/table.ts";

// The values have the form of responses in AWS's API reference.
const now = new Date("2026-11-27T12:00:00Z");
const inDays = (days: number) => new Date(now.getTime() + days * 86_400_000);
const revert =
  "npx cdk deploy odis-prod -c stage=prod --revert-drift --rollback-trigger-alarm-arns none --monitoring-time-minutes 0";
/** Faults as `what it means | command`. */
const lines = (faults: readonly { says: string; command: string }[]) =>
  faults.map(({ says, command }) => `${says} | ${command}`);

const prod = { stage: "prod", isInMaintenance: false };

describe("alarms", () => {
  const name = "odis-prod-SignInFails";
  const alarm = {
    AlarmName: name,
    AlarmDescription: "People cannot sign in. See SignInFails in docs/operations.md.",
    StateValue: "OK",
    StateUpdatedTimestamp: now,
    AlarmActions: ["arn:aws:sns:eu-central-1:123456789012:odis-prod-AlarmsTopic"],
    ActionsEnabled: true,
  } satisfies MetricAlarm;
  const found = (change: object, isInMaintenance = false) =>
    lines(alarmFaults([{ ...alarm, ...change }], { ...prod, names: [name], isInMaintenance, now }));
  it.each([
    ["is well", {}, []],
    ["has no data", { StateValue: "INSUFFICIENT_DATA" }, []],
    [
      "fires",
      { StateValue: "ALARM" },
      [
        `${name} has been firing since 2026-11-27T12:00:00.000Z: People cannot sign in. | npm run logs -- --stage prod Errors --since 30m --function TriggersPreTokenGeneration`,
      ],
    ],
    ["has no actions", { AlarmActions: [] }, [`The alarm ${name} has no actions, so it notifies nobody. | ${revert}`]],
    [
      "has disabled actions",
      { ActionsEnabled: false },
      [
        `The actions of the alarm ${name} are disabled, so it notifies nobody. | aws cloudwatch enable-alarm-actions --alarm-names ${name}`,
      ],
    ],
    ["was deleted", { AlarmName: "another" }, [`The alarm ${name} was deleted. | ${revert}`]],
  ])("doctor reports an alarm correctly if it %s", (_, change, expected) => {
    expect(found(change)).toEqual(expected);
  });

  it.each<[string, object, Date, number]>([
    ["of a new stack that has not sent its data yet", { TreatMissingData: "breaching", Period: 3600 }, inDays(-1), 0],
    ["of a stack that should have sent its data", { TreatMissingData: "breaching", Period: 3600 }, inDays(-1.05), 1],
    [
      "of metrics that a new stack has not sent yet",
      { TreatMissingData: "breaching", Metrics: [{ Id: "m", MetricStat: { Period: 3600 } }] },
      inDays(-1),
      0,
    ],
    ["of a new stack that does not fire because of missing data", { TreatMissingData: "notBreaching" }, now, 1],
  ])("doctor reports an alarm only if it does not wait for the first data: one %s", (_, change, createdAt, faults) => {
    const firing = { ...alarm, StateValue: "ALARM", EvaluationPeriods: 24, ...change } as const;
    expect(alarmFaults([firing], { ...prod, names: [name], createdAt, now })).toHaveLength(faults);
  });

  it("doctor prints a command that has several lines in docs/operations.md as one complete line", () => {
    const command = commandOf("FunctionsThrottled", "prod");
    expect(command).toMatch(
      /^aws cloudwatch get-metric-data --start-time \S[^\n\\]* --end-time [^\n]*--metric-data-queries '\[.* LIMIT 10"\}\]'$/,
    );
    const [, queries = ""] = /--metric-data-queries '(.*)'$/.exec(command) ?? [];
    expect(JSON.parse(queries)).toMatchObject([
      { Expression: expect.stringContaining('SCHEMA("AWS/Lambda"') as string },
    ]);
    expect(commandOf("WebhookMissed", "prod")).toBe(
      "STRIPE_SECRET_KEY=sk_live_… npm run stripe:setup -- --stage prod --check",
    );
  });

  it("doctor does not report the disabled actions of an alarm during maintenance", () => {
    expect(found({ ActionsEnabled: false }, true)).toEqual([]);
  });
});

describe("event source mappings", () => {
  const mapping = {
    UUID: "a1b2",
    FunctionArn: "arn:aws:lambda:eu-central-1:123456789012:function:odis-prod-TriggersEvents",
    EventSourceArn: "arn:aws:dynamodb:eu-central-1:123456789012:table/odis/stream/2026",
    State: "Enabled",
    LastProcessingResult: "OK",
  };
  const found = (change: object, isInMaintenance = false) =>
    lines(
      mappingFaults([{ ...mapping, ...change }], {
        ...prod,
        ids: ["a1b2"],
        isInMaintenance,
        streamArn: mapping.EventSourceArn,
      }),
    );
  const queue = "arn:aws:sqs:eu-central-1:123456789012:odis-prod-Queue";
  it.each([
    ["is well", {}, []],
    ["is being enabled", { State: "Enabling" }, []],
    ["has read nothing yet", { LastProcessingResult: "No records processed" }, []],
    [
      "is disabled",
      { State: "Disabled" },
      [
        "The event source mapping of TriggersEvents is disabled, so it reads nothing from the stream. | aws lambda update-event-source-mapping --uuid a1b2 --enabled",
      ],
    ],
    [
      "reads an earlier stream",
      { EventSourceArn: "arn:aws:dynamodb:eu-central-1:123456789012:table/odis/stream/2025" },
      [
        `The event source mapping of TriggersEvents reads an earlier stream of the table, which gets no changes. | ${revert}`,
      ],
    ],
    [
      "is being disabled, and reads a queue",
      { State: "Disabling", EventSourceArn: queue },
      [
        "The event source mapping of TriggersEvents is disabled, so it reads nothing from the queue odis-prod-Queue. | aws lambda update-event-source-mapping --uuid a1b2 --enabled",
      ],
    ],
    [
      "fails",
      { LastProcessingResult: "PROBLEM: Function call failed" },
      [
        "TriggersEvents fails to handle the stream: PROBLEM: Function call failed. | npm run logs -- --stage prod Errors --function TriggersEvents",
      ],
    ],
    ["was deleted", { UUID: "another" }, [`The event source mapping a1b2 was deleted. | ${revert}`]],
  ])("doctor reports an event source mapping correctly if it %s", (_, change, expected) => {
    expect(found(change)).toEqual(expected);
  });

  it("doctor does not report a disabled event source mapping during maintenance", () => {
    expect(found({ State: "Disabled" }, true)).toEqual([]);
  });
});

describe("rules", () => {
  const rule = { Name: "odis-prod-ToQueue-1", State: "ENABLED", EventBusName: "odis-prod", targets: 1 } as const;
  const expected = [{ id: "ToQueue", name: "odis-prod|odis-prod-ToQueue-1" }];
  const found = (change: object, isInMaintenance = false) =>
    lines(ruleFaults([{ ...rule, ...change }], { ...prod, expected, isInMaintenance }));
  it.each([
    ["is enabled", {}, []],
    [
      "is disabled",
      { State: "DISABLED" },
      [
        "The rule ToQueue is disabled: no events are forwarded. | aws events enable-rule --name odis-prod-ToQueue-1 --event-bus-name odis-prod",
      ],
    ],
    [
      "is a disabled schedule",
      { State: "DISABLED", EventBusName: "default", ScheduleExpression: "rate(15 minutes)" },
      ["The rule ToQueue is disabled: its schedule does not run. | aws events enable-rule --name odis-prod-ToQueue-1"],
    ],
    ["has no target", { targets: 0 }, [`The rule ToQueue has no target: no events are forwarded. | ${revert}`]],
    ["was deleted", { Name: "another" }, [`The rule ToQueue was deleted. | ${revert}`]],
  ])("doctor reports a rule correctly if it %s", (_, change, faults) => {
    expect(found(change)).toEqual(faults);
  });

  it("doctor reports a disabled rule for events also during maintenance, but no disabled schedule", () => {
    expect(found({ State: "DISABLED", ScheduleExpression: "rate(15 minutes)" }, true)).toEqual([]);
    expect(found({ State: "DISABLED" }, true)).toHaveLength(1);
  });
});

describe("functions", () => {
  const name = "odis-prod-BrandsList";
  const fn = { name, variables: { EPOCH: "0", CURSOR_KEY: "resolved" }, reserved: undefined };
  const template = { name, variables: { EPOCH: "0", CURSOR_KEY: undefined }, reserved: undefined };
  const found = (change: object, inTemplate: object = {}, isInMaintenance = false) =>
    lines(
      functionFaults([{ ...fn, ...change }], { ...prod, expected: [{ ...template, ...inTemplate }], isInMaintenance }),
    );
  it.each([
    ["is as in the template", {}, []],
    [
      "has other variables",
      { variables: { EPOCH: "1", DEBUG: "1" } },
      [`The variables of ${name} differ from the template: EPOCH, CURSOR_KEY, DEBUG. | ${revert}`],
    ],
    [
      "may not run",
      { reserved: 0 },
      [
        `0 concurrent executions are reserved for ${name}, but none in the template. It never runs. | aws lambda delete-function-concurrency --function-name ${name}`,
      ],
    ],
    ["was deleted", { name: "another" }, [`The function ${name} was deleted. | ${revert}`]],
  ])("doctor reports a function correctly if it %s", (_, change, expected) => {
    expect(found(change)).toEqual(expected);
  });

  it("doctor names the reserved concurrency of the template, except during maintenance", () => {
    expect(found({}, { reserved: 20 })).toEqual([
      `No concurrent executions are reserved for ${name}, but 20 in the template. | aws lambda put-function-concurrency --function-name ${name} --reserved-concurrent-executions 20`,
    ]);
    expect(found({ reserved: 0 }, {}, true)).toEqual([]);
  });
});

it("doctor reports log groups that were deleted, or keep their lines for another time", () => {
  const group = { stage: "prod", name: "odis-prod-Logs", days: 30 };
  expect(logGroupFaults({ retentionInDays: 30 }, group)).toEqual([]);
  expect(lines([...logGroupFaults(undefined, group), ...logGroupFaults({}, group)])).toEqual([
    `The log group odis-prod-Logs was deleted. | ${revert}`,
    "The log group odis-prod-Logs keeps its lines forever, not for 30 days. | aws logs put-retention-policy --log-group-name odis-prod-Logs --retention-in-days 30",
  ]);
});

it("doctor reports a queue whose policy was removed, with the command that puts the policy of the template", () => {
  const expected = '{"Statement":[{"Effect":"Allow"}]}';
  const queue = { id: "Queue", url: "https://sqs/q", expected };
  expect(queuePolicyFaults([{ ...queue, deployed: expected }])).toEqual([]);
  expect(queuePolicyFaults([{ ...queue, deployed: undefined }])).toMatchObject([
    {
      command: `aws sqs set-queue-attributes --queue-url https://sqs/q --attributes '{"Policy":"{\\"Statement\\":[{\\"Effect\\":\\"Allow\\"}]}"}'`,
    },
  ]);
});

describe("queues and failed records", () => {
  const queue = { id: "Queue", arn: "arn:aws:sqs:eu-central-1:123456789012:q", messages: 3, isForFailed: false };
  it("doctor reports the messages of a dead-letter queue with the command that moves them back", () => {
    expect(deadLetterFaults([queue, { ...queue, isForFailed: true, messages: 0 }])).toEqual([]);
    const slow = { ...queue, id: "SlowQueue", arn: "arn:slow" };
    const failed = { ...queue, id: "DeadLetters", arn: "arn:failed", isForFailed: true };
    expect(deadLetterFaults([failed, slow, queue])).toMatchObject([
      {
        says: expect.stringMatching(/^3 messages of the delivery queues failed/) as string,
        command: `aws sqs start-message-move-task --source-arn arn:failed --destination-arn ${queue.arn}`,
      },
    ]);
  });

  it("doctor reports a queue whose oldest message has waited for half an hour", () => {
    expect(lateFaults("prod", { Queue: 1799, SlowQueue: undefined })).toEqual([]);
    expect(lines(lateFaults("prod", { Queue: 2400 }))).toEqual([
      "The oldest message of the queue Queue has waited for 40 minutes, so events are delivered late. | npm run logs -- --stage prod Errors --function TriggersDeliver",
    ]);
  });

  it("doctor reports records that were set aside", () => {
    expect(failedRecordFaults("prod", [])).toEqual([]);
    expect(failedRecordFaults("prod", ["aws/lambda/1"])).toMatchObject([
      { command: "npm run redrive -- --stage prod" },
    ]);
  });
});

describe("secrets", () => {
  const state: SecretState = {
    output: "StripeSecretArn",
    arn: "arn:stripe",
    description: { LastChangedDate: inDays(-364) },
    isUsable: true,
  };
  it.each<[string, Partial<SecretState>, string[]]>([
    ["is well", {}, []],
    [
      "was deleted",
      { description: undefined },
      [`Stripe's key: the secret was deleted. Payments and the webhook fail. | ${revert}`],
    ],
    [
      "is about to be deleted",
      { description: { DeletedDate: now } },
      [
        "Stripe's key: the secret is about to be deleted. Payments and the webhook fail. | aws secretsmanager restore-secret --secret-id arn:stripe",
      ],
    ],
    [
      "has no value",
      { isUsable: false },
      [
        "Stripe's key: nothing usable is stored in the secret. Payments and the webhook fail. | STRIPE_SECRET_KEY=sk_… npm run stripe:setup -- --stage prod",
      ],
    ],
    [
      "is a year old",
      { description: { LastChangedDate: inDays(-365) } },
      [
        "Stripe's key is 365 days old. Roll it in Stripe's dashboard at least once a year, and store the new one. | STRIPE_SECRET_KEY=sk_… npm run stripe:setup -- --stage prod",
      ],
    ],
    [
      "is a sealing key with a newline at its end",
      {
        output: "SealingKeyArn",
        isUsable: false,
        description: { VersionIdsToStages: { v1: ["AWSPREVIOUS"], v2: ["AWSCURRENT"] } },
      },
      [
        "The key for secrets of event destinations: it begins or ends with white space, so it is not the key that was in use. No event is delivered. | aws secretsmanager update-secret-version-stage --secret-id arn:stripe --version-stage AWSCURRENT --move-to-version-id v1 --remove-from-version-id v2",
      ],
    ],
    [
      "has a restricted key that is a year old",
      { description: { LastChangedDate: inDays(-365) }, isRestricted: true },
      [
        "Stripe's key is 365 days old. Roll it in Stripe's dashboard at least once a year, and store the new one. | STRIPE_SECRET_KEY=sk_… STRIPE_FUNCTIONS_KEY=rk_… npm run stripe:setup -- --stage prod",
      ],
    ],
    ["is the old sealing key", { output: "SealingKeyArn", description: { LastChangedDate: inDays(-900) } }, []],
  ])("doctor reports a secret correctly if it %s", (_, change, expected) => {
    expect(lines(secretFaults({ ...state, ...change }, { stage: "prod", now }))).toEqual(expected);
  });
});

describe("Stripe", () => {
  it("doctor reports a key that Stripe refuses, and one of the wrong mode", () => {
    expect(keyFaults({ key: "sk_live_1", isAccepted: true }, "prod")).toEqual([]);
    expect(keyFaults({ key: "rk_test_1", isAccepted: true }, "sandbox")).toEqual([]);
    const command = "STRIPE_SECRET_KEY=sk_… npm run stripe:setup -- --stage prod";
    expect(lines(keyFaults({ key: "sk_test_1", isAccepted: false }, "prod"))).toEqual([
      `Stripe does not accept the stored key: it was revoked or has expired. | ${command}`,
      `The stored key is of Stripe's test mode, but prod needs one of the live mode. | ${command}`,
    ]);
    expect(keyFaults({ key: "rk_live_1", isAccepted: false }, "prod")).toMatchObject([
      { command: "STRIPE_SECRET_KEY=sk_… STRIPE_FUNCTIONS_KEY=rk_… npm run stripe:setup -- --stage prod" },
    ]);
  });

  it("doctor reports the problems of stripe:setup --check with the options that mend them", () => {
    const problems = [
      "Webhook: there is no endpoint for https://example.com/webhooks/stripe",
      "Webhook we_1: it is disabled",
      "Portal: there is no configuration for Odis",
      "Reading key: it has refunds:write",
      "Key: it lacks refunds:write",
      "The read-only key belongs to acct_2, but the stored key belongs to acct_1",
      "Secret: nothing is stored",
      "Read-only key: none is stored",
    ];
    expect(setupFaults(problems, "prod").map(({ command }) => command)).toEqual([
      "STRIPE_SECRET_KEY=sk_… npm run stripe:setup -- --stage prod",
      "STRIPE_SECRET_KEY=sk_… npm run stripe:setup -- --stage prod --replace",
      "STRIPE_SECRET_KEY=sk_… npm run stripe:setup -- --stage prod",
      "STRIPE_SECRET_KEY=sk_… STRIPE_READING_KEY=rk_… npm run stripe:setup -- --stage prod",
      "STRIPE_SECRET_KEY=sk_… STRIPE_FUNCTIONS_KEY=rk_… npm run stripe:setup -- --stage prod",
      "STRIPE_SECRET_KEY=sk_… STRIPE_READING_KEY=rk_… npm run stripe:setup -- --stage prod",
    ]);
  });
});

describe("table", () => {
  const stream = { StreamEnabled: true };
  const at = { stage: "prod", name: "odis", isProtected: true };
  it("doctor reports a table without deletion protection, without a stream, or that is not there", () => {
    const well = { TableStatus: "ACTIVE", DeletionProtectionEnabled: true, StreamSpecification: stream } as const;
    expect(tableFaults(well, at)).toEqual([]);
    const open = { ...well, DeletionProtectionEnabled: false };
    expect(tableFaults(open, { ...at, isProtected: false })).toEqual([]);
    expect(lines(tableFaults(open, at))).toEqual([
      "The table has no deletion protection. | aws dynamodb update-table --table-name odis --deletion-protection-enabled",
    ]);
    expect(lines(tableFaults({ ...well, StreamSpecification: undefined }, at))).toEqual([
      "The table has no stream, so no events are sent and figures are wrong. | aws dynamodb update-table --table-name odis --stream-specification StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES",
    ]);
    expect(tableFaults({ ...well, TableStatus: "DELETING" }, at)).toMatchObject([{ says: "The table is DELETING." }]);
  });

  it("doctor reports an index that a restored table does not have, with the command that creates it", () => {
    const restored = { stage: "prod", name: "odis-restored", isOwn: false };
    const indexes = Object.keys(tableSchema.indexes).map(
      (IndexName) => ({ IndexName, IndexStatus: "ACTIVE" }) as const,
    );
    expect(indexFaults({ GlobalSecondaryIndexes: indexes }, restored)).toEqual([]);
    const others = indexes.filter(({ IndexName }) => IndexName !== "by_access");
    const says = "The table odis-restored has no index by_access, so requests that read it fail.";
    expect(lines(indexFaults({ GlobalSecondaryIndexes: others }, restored))).toEqual([
      `${says} | aws dynamodb update-table --table-name odis-restored --attribute-definitions AttributeName=access_pk,AttributeType=S AttributeName=sk,AttributeType=S --global-secondary-index-updates '[{"Create":{"IndexName":"by_access","KeySchema":[{"AttributeName":"access_pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}}]'`,
    ]);
    expect(lines(indexFaults({ GlobalSecondaryIndexes: others }, { ...restored, isOwn: true }))).toEqual([
      `${says} | ${revert}`,
    ]);
    const creating = { IndexName: "by_access", IndexStatus: "CREATING" } as const;
    expect(indexFaults({ GlobalSecondaryIndexes: [...others, creating] }, restored)).toMatchObject([
      { command: expect.stringMatching(/^aws dynamodb describe-table --table-name odis-restored /) as string },
    ]);
  });

  it("doctor reports a table or an index with another limit than in the settings, as a restored table has", () => {
    const limit = (MaxReadRequestUnits: number, MaxWriteRequestUnits: number) => ({
      OnDemandThroughput: { MaxReadRequestUnits, MaxWriteRequestUnits },
    });
    const tableCeiling = { readUnits: 4000, writeUnits: 2000 };
    const names = ["by_status", "by_tier"] as const;
    const indexes = names.map((IndexName) => ({ IndexName, ...limit(4000, 2000) }));
    const limited = { ...limit(4000, 2000), GlobalSecondaryIndexes: indexes };
    expect(ceilingFaults(limited, { name: "odis", tableCeiling })).toEqual([]);
    const restored = { GlobalSecondaryIndexes: [{ IndexName: "by_status", ...limit(-1, -1) }, ...indexes.slice(1)] };
    expect(lines(ceilingFaults(restored, { name: "odis", tableCeiling }))).toEqual([
      `The settings limit the table odis to 4000 read and 2000 write units per second, but these have another limit or none: the table, by_status. | aws dynamodb update-table --table-name odis --on-demand-throughput MaxReadRequestUnits=4000,MaxWriteRequestUnits=2000 && aws dynamodb wait table-exists --table-name odis && aws dynamodb update-table --table-name odis --global-secondary-index-updates '[{"Update":{"IndexName":"by_status","OnDemandThroughput":{"MaxReadRequestUnits":4000,"MaxWriteRequestUnits":2000}}}]'`,
    ]);
    const other = { ...limited, ...limit(4000, 1000) };
    expect(lines(ceilingFaults(other, { name: "odis", tableCeiling }))).toEqual([
      "The settings limit the table odis to 4000 read and 2000 write units per second, but these have another limit or none: the table. | aws dynamodb update-table --table-name odis --on-demand-throughput MaxReadRequestUnits=4000,MaxWriteRequestUnits=2000",
    ]);
  });

  it("doctor reports a limit of a table that has none in the settings, with the command that removes it", () => {
    const unlimited = { name: "odis", tableCeiling: undefined };
    expect(ceilingFaults({ GlobalSecondaryIndexes: [{ IndexName: "by_tier" }] }, unlimited)).toEqual([]);
    const limited = { OnDemandThroughput: { MaxReadRequestUnits: 10, MaxWriteRequestUnits: -1 } };
    expect(lines(ceilingFaults(limited, unlimited))).toEqual([
      "The settings have no limit for the table odis, but these have one: the table. | aws dynamodb update-table --table-name odis --on-demand-throughput MaxReadRequestUnits=-1,MaxWriteRequestUnits=-1",
    ]);
  });

  it("doctor reports backups that are off, and an expiry that is off or of another attribute", () => {
    expect(backupFaults("odis", "ENABLED")).toEqual([]);
    expect(backupFaults("odis", "DISABLED")).toHaveLength(1);
    expect(expiryFaults("odis", "ENABLED", "expires_at")).toEqual([]);
    expect(expiryFaults("odis", "ENABLED", "ttl")).toHaveLength(1);
    expect(expiryFaults("odis", "DISABLED", undefined)).toHaveLength(1);
  });
});

describe("stack and user pool", () => {
  const state = { ...prod, status: "UPDATE_COMPLETE", hasTerminationProtection: true, isProtected: true };
  it.each([
    ["is well", {}, []],
    ["is a sandbox", { hasTerminationProtection: false, isProtected: false }, []],
    [
      "has no protection",
      { hasTerminationProtection: false },
      ["aws cloudformation update-termination-protection --stack-name odis-prod --enable-termination-protection"],
    ],
    ["stopped halfway", { status: "UPDATE_ROLLBACK_FAILED" }, ["npx cdk rollback odis-prod -c stage=prod"]],
    ["is in maintenance", { isInMaintenance: true }, ["npm run deploy -- --stage prod"]],
  ])("doctor reports a stack correctly if it %s", (_, change, commands) => {
    expect(stackFaults({ ...state, ...change }).map(({ command }) => command)).toEqual(commands);
  });

  it("a command that corrects a stack keeps the stage in maintenance", () => {
    const deploying = { stage: "prod", name: "/odis/prod/api", days: 90 };
    const commandIn = (isInMaintenance: boolean) =>
      logGroupFaults(undefined, { ...deploying, isInMaintenance }).map(({ command }) => command);
    expect(commandIn(true)).toEqual([expect.stringContaining("-c stage=prod -c maintenance=true --revert-drift")]);
    expect(commandIn(false)).toEqual([expect.not.stringContaining("maintenance")]);
  });

  it("doctor reports a user pool without protection, sender or trigger", () => {
    const sender = "arn:aws:ses:eu-central-1:123456789012:identity/example.com";
    const pool = {
      DeletionProtection: "ACTIVE",
      EmailConfiguration: { SourceArn: sender },
      LambdaConfig: { PreTokenGenerationConfig: { LambdaVersion: "V2_0", LambdaArn: "arn" }, PostConfirmation: "arn" },
    } as const;
    expect(poolFaults(pool, { stage: "prod", isProtected: true, sender })).toEqual([]);
    expect(poolFaults({}, { stage: "prod", isProtected: true, sender }).map(({ says }) => says)).toEqual([
      "The user pool has no deletion protection.",
      `The user pool does not send its email with ${sender}.`,
      "The user pool does not call TriggersPreTokenGeneration, so nobody can use the API.",
      "The user pool does not call TriggersPostConfirmation, so the password of an account that somebody else created stays valid.",
    ]);
  });
});

it("doctor reports subscriptions that nobody confirmed, and addresses without one", () => {
  const topic = { arn: "arn:topic", alarmsTo: ["a@example.com", "b@example.com", "c@example.com"] };
  const subscriptions = [
    { Endpoint: "a@example.com", SubscriptionArn: "arn:topic:1" },
    { Endpoint: "b@example.com", SubscriptionArn: "PendingConfirmation" },
  ];
  const subscribe = "aws sns subscribe --topic-arn arn:topic --protocol email --notification-endpoint";
  expect(subscriptionFaults(subscriptions, topic).map(({ command }) => command)).toEqual([
    `${subscribe} b@example.com`,
    `${subscribe} c@example.com`,
  ]);
});

it("doctor reports an identity of SES that is missing or not verified, and an account in the sandbox or paused", () => {
  const arn = "arn:aws:ses:eu-west-1:123456789012:identity/example.com";
  expect(identityFaults(arn, { VerifiedForSendingStatus: true })).toEqual([]);
  expect(lines(identityFaults(arn, undefined))).toEqual([
    "SES in eu-west-1 has no identity example.com, so no email is sent. | aws sesv2 create-email-identity --email-identity example.com --region eu-west-1",
  ]);
  expect(identityFaults(arn, { VerifiedForSendingStatus: false, VerificationStatus: "PENDING" })).toMatchObject([
    { says: expect.stringMatching(/^The identity example\.com of SES is not verified \(PENDING\)/) as string },
  ]);
  expect(accountFaults("eu-west-1", { ProductionAccessEnabled: true, SendingEnabled: true })).toEqual([]);
  const wrong = { ProductionAccessEnabled: false, SendingEnabled: false, EnforcementStatus: "SHUTDOWN" };
  expect(accountFaults("eu-west-1", wrong).map(({ says }) => says)).toEqual([
    "SES in eu-west-1 is in its sandbox: only verified addresses get email.",
    "SES in eu-west-1 has paused sending (SHUTDOWN).",
  ]);
});

it("doctor reports a sender in another region than the stack, whose bounces raise no alarm", () => {
  const arn = "arn:aws:ses:eu-west-1:123456789012:identity/example.com";
  expect(senderRegionFaults(arn, "eu-west-1")).toEqual([]);
  expect(lines(senderRegionFaults(arn, "eu-central-1"))).toEqual([
    "The sender example.com is in eu-west-1, but the stack in eu-central-1, so the alarm EmailBounces never fires. Create the identity there, and set its ARN in sender. | aws sesv2 create-email-identity --email-identity example.com --region eu-central-1",
  ]);
});

describe("certificates", () => {
  const arn = "arn:aws:acm:eu-central-1:123456789012:certificate/1";
  const named = { setting: "apiDomain", arn, mustBeIn: "eu-central-1" };
  const issued = { Status: "ISSUED", NotAfter: inDays(31), Type: "AMAZON_ISSUED" } as const;
  it.each([
    ["is well", {}, {}, undefined],
    ["is in another region", { mustBeIn: "eu-west-1" }, {}, "is in eu-central-1, but must be in eu-west-1"],
    ["is not issued", {}, { Status: "PENDING_VALIDATION" as const }, "is not issued (PENDING_VALIDATION)"],
    ["was not renewed", {}, { NotAfter: inDays(29) }, "expires in 29 days, and ACM has not renewed it"],
    [
      "was imported",
      {},
      { NotAfter: inDays(9), Type: "IMPORTED" as const },
      "expires in 9 days. ACM does not renew it",
    ],
  ])("doctor reports a certificate correctly if it %s", (_, place, change, says) => {
    const faults = certificateFaults({ ...named, ...place }, { ...issued, ...change }, now);
    expect(faults).toMatchObject(says === undefined ? [] : [{ says: expect.stringContaining(says) as string }]);
  });

  it("doctor checks the certificates of the settings domain and apiDomain in their regions", () => {
    expect(certificateFaults(named, undefined, now)).toMatchObject([
      { says: expect.stringContaining("There is no certificate") as string },
    ]);
    const domain = { name: "a.example.com", certificateArn: "arn:1" };
    const apiDomain = { name: "b.example.com", certificateArn: "arn:2", use: "none" } as const;
    expect(certificatesIn({ domain, apiDomain }, "eu-west-1").map(({ mustBeIn }) => mustBeIn)).toEqual([
      "us-east-1",
      "eu-west-1",
    ]);
    expect(certificatesIn({ domain: undefined, apiDomain: undefined }, "eu-west-1")).toEqual([]);
  });
});

it("doctor reports quotas that are too low, and an API that does not respond as it should", () => {
  const settings = settingsFor("sandbox");
  expect(concurrencyFaults(settings, 50)).toEqual([]);
  expect(concurrencyFaults(settings, 10)).toMatchObject([
    { says: "Lambda allows 10 concurrent executions, but sandbox needs 50." },
  ]);
  expect(policyFaults("cache", 19)).toEqual([]);
  // The codes in Service Quotas of "Cache policies per AWS account" and "Response headers policies per AWS account".
  const show = "aws service-quotas get-service-quota --region us-east-1 --service-code cloudfront --quota-code";
  expect(policyFaults("cache", 20)).toMatchObject([{ command: `${show} L-7D134442` }]);
  expect(policyFaults("response-headers", 20)).toMatchObject([{ command: `${show} L-CF0D4FC5` }]);
  expect(apiFaults([], "prod")).toEqual([]);
  expect(lines(apiFaults(["/health returned 503", "another"], "prod"))).toEqual([
    "/health returned 503. | npm run logs -- --stage prod Errors --since 30m",
  ]);
});

it("doctor names the migrations that have not run, with the command that runs them", () => {
  expect(migrationFaults([], "prod")).toEqual([]);
  expect(lines(migrationFaults(["owners of communities", "list of communities"], "prod"))).toEqual([
    "2 migrations have not run to their end: owners of communities; list of communities. | npm run migrate -- --stage prod",
  ]);
});

describe("the export of the accounts", () => {
  const mend =
    "Mend the cause first: npm run logs -- --stage prod Errors --function TriggersExportAccounts. | npm run pool:export -- --stage prod";
  it.each([
    ["is two days old", inDays(-2), inDays(-90), []],
    [
      "is older than two days",
      new Date(inDays(-2).getTime() - 1),
      inDays(-90),
      [`The last export of the user pool's accounts is 48 hours old. ${mend}`],
    ],
    ["does not exist yet, in a new pool", undefined, inDays(-1), []],
    ["does not exist", undefined, inDays(-3), [`The user pool's accounts were never exported. ${mend}`]],
    ["does not exist, in a pool of unknown age", undefined, undefined, [expect.any(String)]],
  ])("doctor reports the export of the accounts correctly if it %s", (_, exportedAt, createdAt, expected) => {
    expect(lines(accountExportFaults({ stage: "prod", exportedAt, createdAt }, now))).toEqual(expected);
  });
});
