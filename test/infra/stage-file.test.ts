import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { findMistakes, readStageFile, settingsFor } from "../../infra/settings.ts";
import { prodFile, synthesized } from "./synthesized.ts";

const account = "123456789012";
const acm = (region: string) => `arn:aws:acm:${region}:${account}:certificate/abc`;

const streamOf = (table: string) =>
  `arn:aws:dynamodb:eu-central-1:${account}:table/${table}/stream/2026-11-22T12:00:00.000`;

/** Everything that a stage's file may have. */
const whole = {
  ...prodFile,
  joinUrl: "https://app.example.com/c/{slug}#tier-{tier_id}",
  domain: { name: "odis.example.com", certificateArn: acm("us-east-1") },
  apiDomain: { name: "api.example.com", certificateArn: acm("eu-central-1") },
  webAclArn: `arn:aws:wafv2:us-east-1:${account}:global/webacl/odis/abc`,
  monthlyBudgetDollars: 200,
  tableCeiling: { readUnits: 4000, writeUnits: 2000 },
  reservedConcurrency: { webhook: 100, signIn: 10, schedules: 1 },
  throttle: { rateLimit: 100, burstLimit: 200 },
  table: { name: "odis-restored", streamArn: streamOf("odis-restored") },
  epoch: 1,
};

vi.mock("node:fs", { spy: true });

describe("a stage's file", () => {
  it("a stage's file may begin with a byte order mark, which some editors write", () => {
    vi.mocked(existsSync).mockReturnValueOnce(true);
    vi.mocked(readFileSync).mockReturnValueOnce('\uFEFF{"epoch": 2}');
    expect(readStageFile("sandbox-bom")).toEqual({ epoch: 2 });
  });

  it("a stage's file may contain every setting, and none in a sandbox", () => {
    expect(findMistakes("prod", whole)).toEqual([]);
    expect(findMistakes("sandbox", {})).toEqual([]);
  });

  it.each([
    [{ alowOrigins: [] }, "There is no setting alowOrigins."],
    [{ domain: { ...whole.domain, url: "" } }, "There is no setting domain.url."],
    [
      { allowOrigins: ["https://app.example.com/"] },
      "allowOrigins.0 must be an origin, such as https://app.example.com.",
    ],
    [{ joinUrl: "https://app.example.com/join" }, "joinUrl must be an https URL with {tier_id}."],
    [{ joinUrl: "http://app.example.com/{tier_id}" }, "joinUrl must be an https URL with {tier_id}."],
    [{ alarmsTo: ["operators"] }, "alarmsTo.0 must be an email address."],
    [
      { domain: { ...whole.domain, name: "https://a.com" } },
      "domain.name must be a host name, such as app.example.com.",
    ],
    [
      { domain: { ...whole.domain, certificateArn: acm("eu-central-1") } },
      "domain.certificateArn must be the ARN of a certificate in us-east-1.",
    ],
    [
      { webAclArn: `arn:aws:wafv2:eu-central-1:${account}:regional/webacl/odis/abc` },
      "webAclArn must be the ARN of a web ACL for CloudFront in us-east-1.",
    ],
    [{ apiDomain: { ...whole.apiDomain, use: "only" } }, "apiDomain.use must be none, origin or exclusive."],
    [{ sender: { ...prodFile.sender, from: "Odis" } }, "sender.from must be a sender."],
    [{ sender: { from: "a@b.c", identityArn: "b.c" } }, "sender.identityArn must be the ARN of an identity in SES."],
    [{ epoch: -1 }, "epoch must be a number of restores."],
    [{ epoch: 9001 }, "epoch must be at most 9000."],
    [{ epoch: 1, table: { name: "own", streamArn: streamOf("own") } }, "table.name must be the name of a table."],
    [
      { epoch: 1, table: { name: "odis-restored", streamArn: streamOf("another") } },
      "table.streamArn must be the ARN of the table's stream.",
    ],
    [
      { epoch: 1, table: { name: "odis-restored", streamArn: "odis-restored" } },
      "table.streamArn must be the ARN of the table's stream.",
    ],
    [
      { table: { name: "odis-restored", streamArn: streamOf("odis-restored") } },
      "epoch is missing: subscribers would ignore the events of the restored table.",
    ],
    [{ monthlyBudgetDollars: 0 }, "monthlyBudgetDollars must be a whole number of dollars."],
    [{ reservedConcurrency: { webhook: 100.5 } }, "reservedConcurrency.webhook must be a number of executions."],
    [
      { reservedConcurrency: { webhook: 69 } },
      "reservedConcurrency.webhook must be at least 70: it is also the maximum, and about 50 executions at once wait for Stripe's rate limit.",
    ],
    [{ reservedConcurrency: { refunds: 1 } }, "There is no setting reservedConcurrency.refunds."],
  ])("an invalid stage file is refused with a sentence: %j", (change, mistake) => {
    expect(findMistakes("prod", { ...prodFile, ...change })).toEqual([`stages/prod.json: ${mistake}`]);
  });

  it.each([
    ["sender", "stages/prod.json: sender is missing: Cognito itself sends 50 messages a day."],
    ["alarmsTo", "stages/prod.json: alarmsTo is missing: nobody would hear of an alarm."],
  ])("prod cannot be deployed without %s", (name, mistake) => {
    const contents = Object.fromEntries(Object.entries(prodFile).filter(([key]) => key !== name));
    expect(findMistakes("prod", contents)).toEqual([mistake]);
    expect(() => settingsFor("prod", contents)).toThrow(mistake);
    expect(findMistakes("sandbox", contents)).toEqual([]);
  });

  it("a stage's file with a budget must have alarm addresses", () => {
    expect(findMistakes("sandbox", { monthlyBudgetDollars: 10 })).toEqual([
      "stages/sandbox.json: alarmsTo is missing: nobody would hear of the budget.",
    ]);
  });
});

it("more alarm addresses than a budget can notify are refused, but only with a budget", () => {
  const alarmsTo = Array.from({ length: 11 }, (_, n) => `operator${n}@example.com`);
  expect(findMistakes("sandbox", { alarmsTo, monthlyBudgetDollars: 10 })).toEqual([
    "stages/sandbox.json: alarmsTo has 11 addresses, but a budget notifies at most 10.",
  ]);
  expect(findMistakes("sandbox", { alarmsTo: alarmsTo.slice(1), monthlyBudgetDollars: 10 })).toEqual([]);
  expect(findMistakes("sandbox", { alarmsTo })).toEqual([]);
});

describe("the effects of a stage's file", () => {
  const { template, resources } = synthesized(settingsFor("prod", whole));

  it("the pool sends its email through the identity in SES", () => {
    template.hasResourceProperties("AWS::Cognito::UserPool", {
      EmailConfiguration: {
        EmailSendingAccount: "DEVELOPER",
        From: prodFile.sender.from,
        SourceArn: prodFile.sender.identityArn,
      },
    });
  });

  it("a budget has no fixed name, because CloudFormation replaces it if an address changes", () => {
    const [budget] = Object.values(template.findResources("AWS::Budgets::Budget"));
    expect((budget as { Properties: { Budget: object } }).Properties.Budget).not.toHaveProperty("BudgetName");
  });

  it("a budget notifies the addresses of the alarms before it is used up", () => {
    template.hasResourceProperties("AWS::Budgets::Budget", {
      Budget: { BudgetLimit: { Amount: 200, Unit: "USD" }, TimeUnit: "MONTHLY", BudgetType: "COST" },
      NotificationsWithSubscribers: [
        {
          Notification: { NotificationType: "ACTUAL", Threshold: 80 },
          Subscribers: [{ SubscriptionType: "EMAIL", Address: "operators@example.com" }],
        },
        { Notification: { NotificationType: "FORECASTED", Threshold: 100 } },
      ],
    });
  });

  it("the table and each of its indexes have the maximum throughput of the stage's file", () => {
    const reads = { MaxReadRequestUnits: 4000 };
    const writes = { WriteOnDemandThroughputSettings: { MaxWriteRequestUnits: 2000 } };
    const [table] = Object.values(
      resources<{
        readonly GlobalSecondaryIndexes: readonly { readonly IndexName: string }[];
        readonly Replicas: readonly { readonly GlobalSecondaryIndexes: readonly object[] }[];
      }>("AWS::DynamoDB::GlobalTable"),
    );
    const indexes = table?.Properties.GlobalSecondaryIndexes ?? [];
    expect(indexes.length).toBeGreaterThan(2);
    expect(table?.Properties).toMatchObject(writes);
    for (const index of indexes) expect(index).toMatchObject(writes);
    expect(table?.Properties.Replicas).toMatchObject([
      {
        ReadOnDemandThroughputSettings: reads,
        GlobalSecondaryIndexes: indexes.map(({ IndexName }) => ({
          IndexName,
          ReadOnDemandThroughputSettings: reads,
        })),
      },
    ]);
  });

  it("the webhook, sign-in and schedules have reserved executions that other requests cannot use up", () => {
    const reserved = Object.entries(
      resources<{ ReservedConcurrentExecutions?: number }>("AWS::Lambda::Function"),
    ).flatMap(([id, { Properties }]) =>
      Properties.ReservedConcurrentExecutions === undefined ? [] : [[id, Properties.ReservedConcurrentExecutions]],
    );
    expect(Object.fromEntries(reserved)).toEqual({
      WebhooksStripe: 100,
      TriggersPreTokenGeneration: 10,
      TriggersCanary: 1,
      TriggersReconcile: 1,
      TriggersCompactDirectory: 1,
      TriggersExportAccounts: 1,
    });
  });

  it("the gateway has the throttle of the stage's file", () => {
    template.hasResourceProperties("AWS::ApiGatewayV2::Stage", {
      DefaultRouteSettings: { ThrottlingRateLimit: 100, ThrottlingBurstLimit: 200 },
    });
  });

  it("several sandboxes fit into an account, because every name contains the stage", () => {
    const named = ["FunctionName", "AlarmName", "DashboardName", "EventBusName"] as const;
    const namesOf = (stage: string) =>
      Object.values(
        synthesized(settingsFor(stage)).template.toJSON().Resources as Record<
          string,
          { Properties?: Partial<Record<(typeof named)[number] | "Name", unknown>> }
        >,
      ).flatMap(({ Properties = {} }) => [...named, "Name" as const].map((name) => Properties[name]).filter(Boolean));
    const [anna, other] = [namesOf("sandbox-anna"), namesOf("sandbox")];
    expect(anna.length).toBeGreaterThan(50);
    expect(anna.filter((name) => other.includes(name))).toEqual([]);
  });
});
