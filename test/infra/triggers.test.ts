import { describe, expect, it } from "vitest";
import { settingsFor } from "../../infra/settings.ts";
import {
  allowedTo,
  erasesPeople,
  functions,
  listStreams,
  logs,
  queueIds,
  reads,
  resources,
  sealingKey,
  secret,
  tableId,
  template,
  writes,
  writesOfSnapshots,
} from "./prod.ts";
import { synthesized } from "./synthesized.ts";

const [failedRecords = ""] = Object.keys(resources("AWS::S3::Bucket")).filter((id) => id.startsWith("FailedRecords"));
const keepsFailedRecords = [`s3:PutObject ${failedRecords}/aws/lambda/*`, `s3:ListBucket ${failedRecords}`];
const readsOfStream = [
  ...["DescribeStream", "GetRecords", "GetShardIterator"].map((action) => `dynamodb:${action} ${tableId}`),
  listStreams,
];

const [poolId = ""] = Object.keys(resources("AWS::Cognito::UserPool"));

describe("the trigger that puts the user's id into tokens", () => {
  const id = "TriggersPreTokenGeneration";

  it("the user pool calls the trigger that adds the user id to tokens", () => {
    template.hasResourceProperties("AWS::Cognito::UserPool", {
      UserPoolTier: "ESSENTIALS",
      LambdaConfig: { PreTokenGenerationConfig: { LambdaArn: { "Fn::GetAtt": [id, "Arn"] }, LambdaVersion: "V2_0" } },
    });
  });

  it("the trigger that adds the user id to tokens may write the table, look up people in the pool and end their sessions", () => {
    const ofPool = ["AdminGetUser", "AdminUserGlobalSignOut"].map((action) => `cognito-idp:${action} ${poolId}`);
    expect(allowedTo(id).toSorted()).toEqual([...logs(id), ...reads, ...writes, ...ofPool].toSorted());
    expect(Object.keys(functions[id]?.Properties.Environment?.Variables ?? {}).toSorted()).toEqual([
      "EPOCH",
      "METRICS_NAMESPACE",
      "TABLE_NAME",
    ]);
  });
});

describe("the trigger that guards profiles from accounts that somebody else began", () => {
  const id = "TriggersPostConfirmation";

  it("the user pool calls the post-confirmation trigger, which may write the table, reset passwords and end sessions", () => {
    template.hasResourceProperties("AWS::Cognito::UserPool", {
      LambdaConfig: { PostConfirmation: { "Fn::GetAtt": [id, "Arn"] } },
    });
    const ofPool = ["AdminResetUserPassword", "AdminUserGlobalSignOut"].map(
      (action) => `cognito-idp:${action} ${poolId}`,
    );
    expect(allowedTo(id).toSorted()).toEqual([...logs(id), ...reads, ...writes, ...ofPool].toSorted());
  });
});

describe("the schedule that finishes what crashes have left", () => {
  const id = "TriggersReconcile";

  it("the reconciliation schedule calls its function, which may write the table, call Stripe and erase people", () => {
    template.hasResourceProperties("AWS::Events::Rule", {
      ScheduleExpression: "rate(15 minutes)",
      Targets: [{ Arn: { "Fn::GetAtt": [id, "Arn"] } }],
    });
    expect(allowedTo(id).toSorted()).toEqual([...logs(id), ...reads, ...writes, ...secret, ...erasesPeople].toSorted());
    expect(Object.keys(functions[id]?.Properties.Environment?.Variables ?? {}).toSorted()).toEqual([
      "EPOCH",
      "ERASURES_BUCKET",
      "METRICS_NAMESPACE",
      "STRIPE_SECRET_ARN",
      "TABLE_NAME",
      "USER_POOL_ID",
    ]);
  });
});

/** A filter of records whose keys start like this. */
const filterOf = (pk: string | undefined, sks: readonly string[]) => ({
  Pattern: JSON.stringify({
    dynamodb: { Keys: { ...(pk && { pk: { S: [{ prefix: pk }] } }), sk: { S: sks.map((prefix) => ({ prefix })) } } },
  }),
});

describe("the projections", () => {
  const id = "TriggersProjections";

  it("the projections receive the relevant changes of the table's stream, in batches that fit into a transaction", () => {
    template.hasResourceProperties("AWS::Lambda::EventSourceMapping", {
      FunctionName: { Ref: id },
      EventSourceArn: { "Fn::GetAtt": [tableId, "StreamArn"] },
      StartingPosition: "TRIM_HORIZON",
      BatchSize: 40,
      MaximumBatchingWindowInSeconds: 5,
      FilterCriteria: {
        Filters: [
          filterOf("COMMUNITY#", ["MEMBER#", "MOVEMENT#", "BARRIER", "COMMUNITY", "TIER#"]),
          filterOf("USER#", ["USER"]),
        ],
      },
    });
  });

  it("the projections may read the stream, write the table, call Stripe, and store failed records", () => {
    expect(allowedTo(id).toSorted()).toEqual(
      [...logs(id), ...reads, ...writes, ...secret, ...readsOfStream, ...keepsFailedRecords].toSorted(),
    );
  });
});

describe("the events", () => {
  const id = "TriggersEvents";
  const [busId = ""] = Object.keys(resources("AWS::Events::EventBus"));

  it("the events consumer receives changes of members, communities, tiers, benefits, brands and audit entries at once", () => {
    template.hasResourceProperties("AWS::Lambda::EventSourceMapping", {
      FunctionName: { Ref: id },
      EventSourceArn: { "Fn::GetAtt": [tableId, "StreamArn"] },
      StartingPosition: "TRIM_HORIZON",
      FilterCriteria: {
        Filters: [
          filterOf("COMMUNITY#", ["MEMBER#", "COMMUNITY", "TIER#", "BENEFIT#", "DESTINATION#"]),
          filterOf("BRAND#", ["BRAND"]),
          filterOf(undefined, ["ACTIVITY#"]),
        ],
      },
    });
  });

  it("the events consumer may read the stream, store events and send them to the bus, and cannot access other items", () => {
    const stores = ["GetItem", "BatchGetItem", "PutItem", "UpdateItem"].map(
      (action) => `dynamodb:${action} ${tableId}`,
    );
    expect(allowedTo(id).toSorted()).toEqual(
      [...logs(id), ...readsOfStream, ...stores, ...keepsFailedRecords, `events:PutEvents ${busId}`].toSorted(),
    );
    expect(Object.keys(functions[id]?.Properties.Environment?.Variables ?? {}).toSorted()).toEqual([
      "EPOCH",
      "EVENT_BUS_NAME",
      "FAILED_RECORDS_BUCKET",
      "METRICS_NAMESPACE",
      "TABLE_NAME",
    ]);
  });
});

describe("the deliveries", () => {
  const id = "TriggersDeliver";
  const [queueId = "", slowQueueId = ""] = queueIds;
  const [deadLettersId = ""] = Object.keys(resources("AWS::SQS::Queue")).filter((name) => name.includes("DeadLetters"));

  it("a rule of the bus queues events of communities for delivery, but not those of brands", () => {
    const rule = Object.values(resources<object>("AWS::Events::Rule")).find(
      ({ Properties }) => "EventPattern" in Properties,
    );
    expect(rule?.Properties).toMatchObject({
      EventPattern: { source: ["odis"], "detail-type": [{ "anything-but": { prefix: "brand." } }] },
      State: "ENABLED",
      Targets: [
        {
          Arn: { "Fn::GetAtt": [queueId, "Arn"] },
          DeadLetterConfig: { Arn: { "Fn::GetAtt": [deadLettersId, "Arn"] } },
        },
      ],
    });
  });

  it("deliveries have two queues, of which one is for slow destinations", () => {
    expect([slowQueueId.includes("Slow"), queueIds.length]).toEqual([true, 2]);
  });

  it.each(queueIds)("deliveries of %s are handled in batches, and each message may fail five times", (queue) => {
    template.hasResourceProperties("AWS::Lambda::EventSourceMapping", {
      FunctionName: { Ref: id },
      EventSourceArn: { "Fn::GetAtt": [queue, "Arn"] },
      BatchSize: 10,
      FunctionResponseTypes: ["ReportBatchItemFailures"],
      ScalingConfig: { MaximumConcurrency: 20 },
    });
    const days = 24 * 60 * 60;
    expect(resources("AWS::SQS::Queue")[queue]?.Properties).toMatchObject({
      MessageRetentionPeriod: 14 * days,
      RedrivePolicy: { deadLetterTargetArn: { "Fn::GetAtt": [deadLettersId, "Arn"] }, maxReceiveCount: 5 },
    });
    expect(resources("AWS::SQS::Queue")[deadLettersId]?.Properties).toMatchObject({
      MessageRetentionPeriod: 14 * days,
    });
  });

  it("Lambda stops a chain of calls after 16 of them, except of a function that sends messages to a queue that calls it", () => {
    type Mapping = { FunctionName: { Ref: string }; EventSourceArn: { "Fn::GetAtt"?: [string] } };
    const mappings = Object.values(resources<Mapping>("AWS::Lambda::EventSourceMapping"));
    const sendsToItself = mappings.flatMap(({ Properties: { FunctionName, EventSourceArn } }) =>
      allowedTo(FunctionName.Ref).includes(`sqs:SendMessage ${EventSourceArn["Fn::GetAtt"]?.[0]}`)
        ? [FunctionName.Ref]
        : [],
    );
    const allowed = Object.entries(resources<{ RecursiveLoop?: string }>("AWS::Lambda::Function"))
      .filter(([, { Properties }]) => Properties.RecursiveLoop === "Allow")
      .map(([name]) => name);
    expect(new Set(sendsToItself)).toEqual(new Set([id]));
    expect(allowed).toEqual([id]);
  });

  it("the deliveries function may write the table, use the queues, and decrypt secrets of destinations", () => {
    const ofQueue = [
      "ChangeMessageVisibility",
      "DeleteMessage",
      "GetQueueAttributes",
      "GetQueueUrl",
      "ReceiveMessage",
      "SendMessage",
    ];
    expect([...new Set(allowedTo(id))].toSorted()).toEqual(
      [
        ...logs(id),
        ...reads,
        ...writes,
        ...sealingKey,
        ...queueIds.flatMap((queue) => ofQueue.map((action) => `sqs:${action} ${queue}`)),
      ].toSorted(),
    );
    expect(Object.keys(functions[id]?.Properties.Environment?.Variables ?? {}).toSorted()).toEqual([
      "DELIVERY_QUEUE_URL",
      "EPOCH",
      "METRICS_NAMESPACE",
      "SEALING_KEY_ARN",
      "SLOW_DELIVERY_QUEUE_URL",
      "TABLE_NAME",
    ]);
  });
});

describe("the schedule that makes snapshots of the directory", () => {
  const id = "TriggersCompactDirectory";

  it("the compaction schedule calls its function, which may write the table and nothing else", () => {
    template.hasResourceProperties("AWS::Events::Rule", {
      ScheduleExpression: "rate(15 minutes)",
      Targets: [{ Arn: { "Fn::GetAtt": [id, "Arn"] } }],
    });
    expect(allowedTo(id).toSorted()).toEqual([...logs(id), ...reads, ...writes, ...writesOfSnapshots].toSorted());
    expect(Object.keys(functions[id]?.Properties.Environment?.Variables ?? {}).toSorted()).toEqual([
      "EPOCH",
      "SNAPSHOTS_BUCKET",
      "TABLE_NAME",
    ]);
  });
});

describe("the canary", () => {
  const id = "TriggersCanary";

  it("the canary runs every five minutes, calls the public URL, and may only write its log", () => {
    template.hasResourceProperties("AWS::Events::Rule", {
      ScheduleExpression: "rate(5 minutes)",
      Targets: [{ Arn: { "Fn::GetAtt": [id, "Arn"] } }],
    });
    expect(allowedTo(id).toSorted()).toEqual(logs(id).toSorted());
    const { SITE_URL: url } = functions[id]?.Properties.Environment?.Variables ?? {};
    expect(url).toEqual(template.findOutputs("ApiUrl").ApiUrl?.Value);
  });

  it("a stage whose alarms nobody receives has no canary", () => {
    expect(synthesized(settingsFor("sandbox")).resources("AWS::Lambda::Function")).not.toHaveProperty(id);
  });
});

describe("unreadable and failed records", () => {
  it.each(["TriggersProjections", "TriggersEvents"])(
    "%s stores unreadable records in the bucket of failed records",
    (id) => {
      expect(functions[id]?.Properties.Environment?.Variables).toMatchObject({
        FAILED_RECORDS_BUCKET: { Ref: failedRecords },
      });
    },
  );

  it("failed records are stored for 35 days", () => {
    expect(resources("AWS::S3::Bucket")[failedRecords]?.Properties).toMatchObject({
      LifecycleConfiguration: { Rules: [{ ExpirationInDays: 35, Status: "Enabled" }] },
    });
  });

  it("a failed run of a schedule is not repeated in addition to the next run", () => {
    const invocations = Object.values(resources("AWS::Lambda::EventInvokeConfig"));
    expect(invocations).toHaveLength(4);
    for (const { Properties } of invocations) expect(Properties).toMatchObject({ MaximumRetryAttempts: 0 });
  });
});
