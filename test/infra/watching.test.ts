import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { routes } from "#lib/contract/index.ts";
import { settingsFor } from "../../infra/settings.ts";
import { resources, template } from "./prod.ts";
import { synthesized } from "./synthesized.ts";

type Alarm = {
  readonly AlarmName: string;
  readonly AlarmDescription: string;
  readonly AlarmActions: readonly unknown[];
  readonly MetricName?: string;
  readonly Namespace?: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: unknown }[];
};

const alarms = Object.values(resources<Alarm>("AWS::CloudWatch::Alarm")).map(({ Properties }) => Properties);
const nameOf = ({ AlarmName }: Alarm) => AlarmName.replace("odis-prod-", "");
const [topicId = ""] = Object.keys(resources("AWS::SNS::Topic"));

describe("the alarms", () => {
  it("each alarm has a description that names its row in docs/operations.md", () => {
    expect(alarms.map(nameOf).toSorted()).toEqual([
      "EventsGivenUp",
      "EventsLag",
      "FunctionsThrottled",
      "Latency",
      "MoneyUnfinished",
      "ProjectionsGivenUp",
      "ProjectionsLag",
      "ReconcileFails",
      "ServerErrors",
      "SignInFails",
      "SnapshotFails",
      "TableThrottled",
      "WebhookAge",
      "WebhookRefused",
      "WebhookSilent",
    ]);
    const operations = readFileSync("docs/operations.md", "utf8");
    for (const alarm of alarms) {
      expect(operations).toContain(`| ${nameOf(alarm)} |`);
      expect(alarm.AlarmDescription).toContain(`See ${nameOf(alarm)} in docs/operations.md`);
    }
  });

  it("are sent to the topic, which takes them from CloudWatch of this account only", () => {
    for (const { AlarmActions } of alarms) expect(AlarmActions).toEqual([{ Ref: topicId }]);
    template.hasResourceProperties("AWS::SNS::TopicPolicy", {
      PolicyDocument: {
        Statement: [
          { Effect: "Deny", Condition: { Bool: { "aws:SecureTransport": "false" } } },
          {
            Effect: "Allow",
            Action: "sns:Publish",
            Principal: { Service: "cloudwatch.amazonaws.com" },
            Condition: { StringEquals: { "aws:SourceAccount": { Ref: "AWS::AccountId" } } },
          },
        ],
      },
    });
  });

  it("look for what we measure where the functions of the stage put it, by a route that there is", () => {
    const own = alarms.filter(({ Namespace }) => !Namespace?.startsWith("AWS/") && Namespace !== undefined);
    expect(own.map(nameOf).toSorted()).toEqual(["MoneyUnfinished", "WebhookAge", "WebhookRefused", "WebhookSilent"]);
    const known = new Set(["reconcile", "invalid_signature", ...routes.map(({ key }) => key)]);
    for (const { Namespace, Dimensions } of own) {
      expect(Namespace).toBe("odis-prod");
      expect(known).toContain(Dimensions?.[0]?.Value);
    }
    for (const id of ["WebhooksStripe", "TriggersReconcile"])
      expect(resources<{ Environment: unknown }>("AWS::Lambda::Function")[id]?.Properties.Environment).toMatchObject({
        Variables: { METRICS_NAMESPACE: "odis-prod" },
      });
  });

  it("finding B10: a day without an event of Stripe's raises an alarm, as no data does", () => {
    expect(alarms.find((alarm) => nameOf(alarm) === "WebhookSilent")).toMatchObject({
      Statistic: "SampleCount",
      Period: 3600,
      EvaluationPeriods: 24,
      Threshold: 1,
      ComparisonOperator: "LessThanThreshold",
      TreatMissingData: "breaching",
    });
  });

  it("alarms are sent to the email addresses in the settings", () => {
    template.hasResourceProperties("AWS::SNS::Subscription", { Protocol: "email", Endpoint: "operators@example.com" });
    synthesized(settingsFor("sandbox")).template.resourceCountIs("AWS::SNS::Subscription", 0);
  });
});

it("the dashboard shows each metric of what Odis does not manage at Stripe", () => {
  const body = JSON.stringify(template.findResources("AWS::CloudWatch::Dashboard"));
  const names = ["foreign_subscription", "foreign_payment", "unknown_price", "foreign_currency", "email_conflict"];
  expect(names.filter((name) => !body.includes(name))).toEqual([]);
});

it("the stack has one dashboard, named after the stage", () => {
  template.resourceCountIs("AWS::CloudWatch::Dashboard", 1);
  template.hasResourceProperties("AWS::CloudWatch::Dashboard", { DashboardName: "odis-prod" });
});
