import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { routes } from "#lib/contract/index.ts";
import { countedProblem, metrics } from "#lib/log.ts";
import { settingsFor } from "../../infra/settings.ts";
import { resources, template } from "./prod.ts";
import { synthesized } from "./synthesized.ts";

type Metric = {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions: readonly { readonly Name: string; readonly Value: unknown }[];
};
type Alarm = {
  readonly AlarmName: string;
  readonly AlarmDescription: string;
  readonly AlarmActions: readonly unknown[];
  readonly OKActions: readonly unknown[];
  readonly TreatMissingData?: string;
  readonly Metrics?: readonly {
    readonly Expression?: string;
    readonly MetricStat?: { readonly Metric: Metric; readonly Stat: string };
  }[];
  readonly MetricName?: string;
  readonly Namespace?: string;
  readonly ExtendedStatistic?: string;
  readonly Dimensions?: readonly { readonly Name: string; readonly Value: unknown }[];
};

const alarms = Object.values(resources<Alarm>("AWS::CloudWatch::Alarm")).map(({ Properties }) => Properties);
const nameOf = ({ AlarmName }: Alarm) => AlarmName.replace("odis-prod-", "");
const [topicId = ""] = Object.keys(resources("AWS::SNS::Topic"));

describe("the alarms", () => {
  it("the stack has exactly the listed alarms", () => {
    expect(alarms.map(nameOf).toSorted()).toEqual(
      [
        "DeliveriesGivenUp",
        "DeliveriesWaiting",
        "DestinationsDisabled",
        "EmailBounces",
        "EventsGivenUp",
        "EventsLag",
        "EventsSilent",
        "FunctionsThrottled",
        "Latency",
        "MoneyUnfinished",
        "MoneyRouteErrors",
        "Outage",
        "ProjectionsGivenUp",
        "ProjectionsLag",
        "ProjectionsSilent",
        "ReconcileNotFinished",
        "ServerErrors",
        "SignInFails",
        "SignInThrottled",
        "SnapshotNotFinished",
        "StripeKeyRefused",
        "TableThrottled",
        "Unreachable",
        "WebhookAge",
        "WebhookErrors",
        "WebhookMissed",
        "WebhookRefused",
        "WebhookSilent",
      ].toSorted(),
    );
  });

  it("alarms, and their end, are sent to the topic, which accepts them only from CloudWatch of this account", () => {
    for (const { AlarmActions, OKActions } of alarms)
      expect([AlarmActions, OKActions]).toEqual([[{ Ref: topicId }], [{ Ref: topicId }]]);
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

  it("alarms use metrics in the namespace of the stage's functions, for existing routes", () => {
    const own = alarms.filter(({ Namespace }) => !Namespace?.startsWith("AWS/") && Namespace !== undefined);
    expect(own.map(nameOf).toSorted()).toEqual([
      "DestinationsDisabled",
      "MoneyRouteErrors",
      "MoneyUnfinished",
      "StripeKeyRefused",
      "WebhookRefused",
      "WebhookSilent",
    ]);
    const known = new Set(["deliver", "reconcile", "invalid_signature", ...routes.map(({ key }) => key)]);
    for (const { Namespace, MetricName, Dimensions } of own) {
      expect(Namespace).toBe("odis-prod");
      if (!["money_errors", "stripe_key_refused"].includes(MetricName ?? ""))
        expect(known).toContain(Dimensions?.[0]?.Value);
    }
    for (const id of [
      "WebhooksStripe",
      "TriggersReconcile",
      "TriggersDeliver",
      "TriggersEvents",
      "TriggersPreTokenGeneration",
      "TriggersProjections",
    ])
      expect(resources<{ Environment: unknown }>("AWS::Lambda::Function")[id]?.Properties.Environment).toMatchObject({
        Variables: { METRICS_NAMESPACE: "odis-prod" },
      });
  });

  const named = (name: string) => alarms.find((alarm) => nameOf(alarm) === name);
  const metricsOf = (name: string) =>
    (named(name)?.Metrics ?? []).flatMap(({ MetricStat }) => (MetricStat ? [MetricStat.Metric] : []));
  const expressionOf = (name: string) => named(name)?.Metrics?.find(({ Expression }) => Expression)?.Expression;

  it("invalid signatures and events that do not reach the webhook raise an alarm", () => {
    expect(named("WebhookRefused")).toMatchObject({
      MetricName: "problems",
      Dimensions: [{ Name: "problem", Value: "invalid_signature" }],
    });
    expect(expressionOf("WebhookMissed")).toBe("IF(FILL(missed, 0) > 0 AND FILL(handled, 0) == 0, 1, 0)");
    expect(metricsOf("WebhookMissed")).toMatchObject([
      { MetricName: "missed_events", Dimensions: [{ Name: "route", Value: "reconcile" }] },
      { MetricName: "webhook_age_ms", Dimensions: [{ Name: "route", Value: "POST /webhooks/stripe" }] },
    ]);
  });

  it.each([
    ["Events", "events"],
    ["Projections", "projections"],
  ])("%sGivenUp fires when Lambda gives up on a record, and when the function sets a record aside", (id, route) => {
    const name = `${id}GivenUp`;
    expect(expressionOf(name)).toBe(`FILL(givenUp${id}, 0) + FILL(setAside${id}, 0)`);
    expect(named(name)).toMatchObject({ Threshold: 1, EvaluationPeriods: 1 });
    expect(metricsOf(name)).toMatchObject([
      { Namespace: "AWS/Lambda", MetricName: "OnFailureDestinationDeliveredEventCount" },
      { Namespace: "odis-prod", MetricName: "records_set_aside", Dimensions: [{ Name: "route", Value: route }] },
    ]);
  });

  it("exactly the alarms on metrics that should always exist fire if their data are missing", () => {
    const silent = alarms.filter(({ TreatMissingData }) => TreatMissingData === "breaching").map(nameOf);
    expect(silent.toSorted()).toEqual([
      "EventsSilent",
      "ProjectionsSilent",
      "ReconcileNotFinished",
      "SnapshotNotFinished",
      "Unreachable",
      "WebhookSilent",
    ]);
    expect(named("ReconcileNotFinished")).toMatchObject({ MetricName: "Errors", Statistic: "Minimum", Threshold: 1 });
    expect(named("EventsSilent")).toMatchObject({ MetricName: "PolledEventCount" });
  });

  it("an alarm from the internet needs two failures in three runs of the canary, and fires if it does not run", () => {
    expect(named("Unreachable")).toMatchObject({
      Namespace: "AWS/Lambda",
      MetricName: "Errors",
      Dimensions: [{ Name: "FunctionName", Value: { Ref: "TriggersCanary" } }],
      Threshold: 1,
      DatapointsToAlarm: 2,
      EvaluationPeriods: 3,
    });
  });

  it("one slow request or one late event raises no alarm", () => {
    expect(expressionOf("Latency")).toBe("IF(slow >= 3, 100 * slow / requests, 0)");
    expect(named("WebhookAge")).toMatchObject({
      Threshold: 3,
      Metrics: [
        { Expression: "FILL(late, 0)" },
        { MetricStat: { Metric: { MetricName: "webhook_age_ms" }, Stat: "TC(300000:)", Period: 900 } },
      ],
    });
  });

  it("an alarm on a single metric uses only statistics that PutMetricAlarm documents", () => {
    // https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutMetricAlarm.html, ExtendedStatistic
    const documented = /^(?:(?:p|tm|tc|ts|wm)\d+(?:\.\d+)?|IQM|PR\([\d.]*:[\d.]*\)|(?:TC|TM|TS|WM)\(\d*%?:\d*%\))$/;
    const used = alarms.flatMap(({ ExtendedStatistic = [] }) => ExtendedStatistic);
    expect(used.filter((statistic) => !documented.test(statistic))).toEqual([]);
  });

  it("failures of both sign-in triggers, except refused sign-ins, and sign-ins that Cognito rejects raise an alarm", () => {
    expect(expressionOf("SignInFails")).toBe("FILL(tokens, 0) + FILL(confirmations, 0) - FILL(refused, 0)");
    const ofFunction = (Ref: string) => ({
      MetricName: "Errors",
      Dimensions: [{ Name: "FunctionName", Value: { Ref } }],
    });
    expect(metricsOf("SignInFails")).toMatchObject([
      ofFunction("TriggersPreTokenGeneration"),
      ofFunction("TriggersPostConfirmation"),
      {
        Namespace: "odis-prod",
        MetricName: "unproven_account",
        Dimensions: [{ Name: "route", Value: "pre-token-generation" }],
      },
    ]);
    const namesOf = metricsOf("SignInThrottled").map(({ MetricName }) => MetricName);
    expect(namesOf).toEqual(["SignInThrottles", "TokenRefreshThrottles"]);
  });

  it("the age of the oldest message of both delivery queues raises an alarm", () => {
    const ages = metricsOf("DeliveriesWaiting");
    expect(ages.map(({ MetricName }) => MetricName)).toEqual(ages.map(() => "ApproximateAgeOfOldestMessage"));
    expect(ages).toHaveLength(2);
  });

  it("the alarm on throttled functions names the limit of the account and that of reserved executions", () => {
    expect(named("FunctionsThrottled")?.AlarmDescription).toMatch(
      /^The limit of concurrent executions of the account, or of those reserved for a function, is reached\./,
    );
  });

  it("the alarm on throttling includes the table and each index", () => {
    const indexes = metricsOf("TableThrottled").map(({ MetricName, Dimensions }) => [
      MetricName,
      Dimensions.find(({ Name }) => Name === "GlobalSecondaryIndexName")?.Value,
    ]);
    const places = [undefined, "by_status", "by_tier", "by_blocked", "by_access"];
    expect(indexes).toEqual(
      places.flatMap((place) => [
        ["ReadThrottleEvents", place],
        ["WriteThrottleEvents", place],
      ]),
    );
  });

  it("alarms on errors use rates, with a separate alarm for the webhook", () => {
    expect(expressionOf("ServerErrors")).toBe("IF(errors >= 5, 100 * errors / requests, 0)");
    expect(expressionOf("WebhookErrors")).toBe("IF(errors >= 1, 100 * errors / requests, 0)");
    expect(metricsOf("WebhookErrors")).toEqual([
      { Namespace: "odis-prod", MetricName: "webhook_errors" },
      { Namespace: "odis-prod", MetricName: "webhook_requests" },
    ]);
  });

  it("alarms are sent to the email addresses in the settings", () => {
    template.hasResourceProperties("AWS::SNS::Subscription", { Protocol: "email", Endpoint: "operators@example.com" });
    synthesized(settingsFor("sandbox")).template.resourceCountIs("AWS::SNS::Subscription", 0);
  });
});

it("the functions send exactly the metrics that an alarm or the dashboard shows", () => {
  const shown = JSON.stringify([alarms, template.findResources("AWS::CloudWatch::Dashboard")]);
  expect(Object.keys(metrics).filter((name) => !shown.includes(name))).toEqual([]);
  const others = ["problems", "money_errors", "webhook_errors", "webhook_requests"];
  const own = alarms.flatMap(({ Namespace, MetricName, Metrics = [] }) => [
    ...(Namespace === "odis-prod" ? [MetricName] : []),
    ...Metrics.flatMap(({ MetricStat }) =>
      MetricStat?.Metric.Namespace === "odis-prod" ? [MetricStat.Metric.MetricName] : [],
    ),
  ]);
  expect(own.filter((name = "") => !others.includes(name) && !(name in metrics))).toEqual([]);
  expect(alarms.find(({ MetricName }) => MetricName === "problems")?.Dimensions).toEqual([
    { Name: "problem", Value: countedProblem },
  ]);
});

describe("the metrics that are counted in the log of the gateway", () => {
  const filters = Object.values(
    resources<{
      LogGroupName: { Ref: string };
      FilterPattern: string;
      MetricTransformations: readonly { readonly MetricName: string }[];
    }>("AWS::Logs::MetricFilter"),
  ).map(({ Properties }) => Properties);
  const responses = routes.flatMap(({ key: route }) =>
    ["200", "404", "429", "500", "503"].map((status) => ({ route, status })),
  );
  const countedBy = (name: string) => {
    const filter = filters.find(({ MetricTransformations: [first] }) => first?.MetricName === name);
    return responses.filter((response) => matches(filter?.FilterPattern ?? "", response));
  };
  const isMoney = new Set(
    routes.filter(({ limited }) => limited === "money" || limited === "refunds").map(({ key }) => key),
  );
  const isFailed = ({ status }: { readonly status: string }) => status.startsWith("5");
  const isToWebhook = ({ route }: { readonly route: string }) => route === "POST /webhooks/stripe";

  it("money_errors counts 5xx responses of routes that move money or block members, and of no other route", () => {
    const failures = responses.filter(isFailed).filter(({ route }) => isMoney.has(route));
    expect(failures).toHaveLength(2 * isMoney.size);
    expect(countedBy("money_errors")).toEqual(failures);
  });

  it("webhook_requests counts all responses of the webhook, and webhook_errors those with a 5xx status", () => {
    expect(countedBy("webhook_requests")).toEqual(responses.filter(isToWebhook));
    expect(countedBy("webhook_errors")).toEqual(responses.filter(isToWebhook).filter(isFailed));
  });

  it("the metrics are sent only for lines that match a pattern, which is not longer than CloudWatch allows", () => {
    expect(filters).toHaveLength(3);
    for (const { LogGroupName, FilterPattern, MetricTransformations } of filters) {
      expect(LogGroupName.Ref).toMatch(/^ApiAccessLog/);
      expect(FilterPattern.length).toBeLessThanOrEqual(1024);
      const MetricName = expect.stringMatching(/^(money_errors|webhook_errors|webhook_requests)$/);
      expect(MetricTransformations).toEqual([{ MetricNamespace: "odis-prod", MetricName, MetricValue: "1" }]);
    }
  });
});

/** Whether a line of the gateway's log matches a pattern for JSON, of terms such as `$.status = "5*"`. */
function matches(pattern: string, line: Readonly<Record<string, string>>): boolean {
  const [, inner = ""] = /^\{ (.*) \}$/.exec(pattern) ?? [];
  const terms = inner.replaceAll(/\$\.(\w+) = "([^"]*)"/g, (_, field: string, value: string) => {
    const actual = line[field] ?? "";
    if (value.startsWith("*")) return String(actual.endsWith(value.slice(1)));
    return String(value.endsWith("*") ? actual.startsWith(value.slice(0, -1)) : actual === value);
  });
  return isTrue(terms.replaceAll(" ", ""));
}

/** The value of terms such as `(true)&&((false)||(true))`. */
function isTrue(terms: string): boolean {
  const simpler = terms
    .replaceAll(/\((true|false)\)/g, "$1")
    .replaceAll("true&&true", "true")
    .replaceAll(/true&&false|false&&(true|false)/g, "false")
    .replaceAll("false||false", "false")
    .replaceAll(/true\|\|(true|false)|false\|\|true/g, "true");
  if (simpler !== terms) return isTrue(simpler);
  if (terms !== "true" && terms !== "false") throw new Error(`Cannot evaluate ${terms}`);
  return terms === "true";
}

it("the dashboard shows each metric of ignored data at Stripe", () => {
  const body = JSON.stringify(template.findResources("AWS::CloudWatch::Dashboard"));
  const names = ["foreign_subscription", "foreign_payment", "unknown_price", "foreign_currency", "email_conflict"];
  expect(names.filter((name) => !body.includes(name))).toEqual([]);
});

it("the stack has one dashboard with the name of the stage", () => {
  template.resourceCountIs("AWS::CloudWatch::Dashboard", 1);
  template.hasResourceProperties("AWS::CloudWatch::Dashboard", { DashboardName: "odis-prod" });
});

it("saved queries search the log groups of the gateway and of all functions", () => {
  // Not that of CDK's function, which copies the site.
  const groups = Object.keys(resources("AWS::Logs::LogGroup")).filter((id) => !id.startsWith("Site"));
  const queries = Object.values(
    resources<{ Name: string; QueryString: string; LogGroupNames: { Ref: string }[] }>("AWS::Logs::QueryDefinition"),
  );
  expect(queries.map(({ Properties }) => Properties.Name).toSorted()).toEqual([
    "odis-prod/Errors",
    "odis-prod/One request",
    "odis-prod/Slow routes",
    "odis-prod/Who read the members of a community",
  ]);
  for (const { Properties } of queries)
    expect(Properties.LogGroupNames.map(({ Ref }) => Ref).toSorted()).toEqual(groups.toSorted());
});

/** Whether a line of a log passes a filter of Logs Insights that consists of comparisons joined by `or`. */
function passes(filter: string, line: Readonly<Record<string, unknown>>): boolean {
  return filter.split(" or ").some((comparison) => {
    const [, field = "", operator, operand = ""] = /^([\w.]+) (in|>=|=) (.+)$/.exec(comparison.trim()) ?? [];
    const value = field
      .split(".")
      .reduce<unknown>((found, name) => (found as Record<string, unknown> | undefined)?.[name], line);
    if (operator === ">=") return Number(value) >= Number(operand);
    return ([JSON.parse(operand)] as unknown[]).flat().includes(value);
  });
}

/** Lines as functions, Lambda's runtime, Lambda itself and the gateway write them. */
const failures = {
  "a defect that our code has logged": { level: "error", message: "internal", route: "GET /health" },
  "an error that nothing has caught": { level: "ERROR", message: "Invoke Error", errorType: "TypeError" },
  "a function that cannot be loaded": { level: "FATAL", errorType: "Runtime.ImportModuleError" },
  "a time-out": { type: "platform.report", record: { status: "timeout", metrics: { durationMs: 10_000 } } },
  "a function that ran out of memory": { type: "platform.report", record: { status: "error" } },
  "a 503 of the gateway, for which no function ran": { route: "GET /odis/v1/me", status: "503" },
};
const successes = {
  "a request": { level: "info", route: "GET /health", status: 200 },
  "a problem of the caller": { level: "info", route: "GET /odis/v1/me", status: 401, problem: "invalid_token" },
  "a response of the gateway": { route: "GET /health", status: "200" },
  "a report of Lambda": { type: "platform.report", record: { status: "success" } },
};

describe("the saved query Errors, which the runbook begins with", () => {
  const [query] = Object.values(resources<{ Name: string; QueryString: string }>("AWS::Logs::QueryDefinition")).filter(
    ({ Properties }) => Properties.Name === "odis-prod/Errors",
  );
  const [, filter = ""] = /\| filter (.*)/.exec(query?.Properties.QueryString ?? "") ?? [];

  it.each(Object.entries(failures))("the saved query Errors finds %s", (_, line) =>
    expect(passes(filter, line)).toBe(true),
  );

  it.each(Object.entries(successes))("the saved query Errors leaves out %s", (_, line) =>
    expect(passes(filter, line)).toBe(false),
  );
});

it("the documented web ACL command passes its search string as text, not as the base64 that AWS CLI v2 expects", () => {
  const [command = ""] = /aws wafv2 create-web-acl[^]*?```/.exec(readFileSync("docs/operations.md", "utf8")) ?? [];
  expect(command).toContain('"SearchString":"/webhooks/"');
  expect(command).toContain("--cli-binary-format raw-in-base64-out");
});
