import { describe, expect, it } from "vitest";
import { countIn, countInProd, monitoringDollars, type Resources } from "../../../tools/bench/billed.ts";

const count = (...resources: readonly Resources[string][]) => countIn(Object.fromEntries(resources.entries()));
const alarm = (properties: Resources[string]["Properties"] = {}) => ({
  Type: "AWS::CloudWatch::Alarm",
  Properties: properties,
});
const aws = { Namespace: "AWS/Lambda", MetricName: "Errors" };
const own = (MetricName: string, route: string) => ({
  Namespace: "odis-prod",
  MetricName,
  Dimensions: [{ Name: "route", Value: route }],
});
const dashboard = (...metrics: readonly (readonly unknown[])[]) => {
  const [before = "", after = ""] = JSON.stringify({
    widgets: [{ properties: { title: "%" } }, { properties: { metrics } }],
  }).split("%");
  return {
    Type: "AWS::CloudWatch::Dashboard",
    Properties: { DashboardBody: { "Fn::Join": ["", [before, { Ref: "Table" }, after]] as const } },
  };
};

describe("what is billed in a template", () => {
  it("an alarm on a formula counts once for each of its metrics", () => {
    const formula = [{ Expression: "a + b" }, ...[aws, aws].map((Metric) => ({ MetricStat: { Metric, Period: 300 } }))];
    expect(count(alarm({ ...aws, Period: 300 }), alarm({ Metrics: formula }))).toMatchObject({ alarmMetrics: 3 });
  });

  it("a custom metric counts once by its name and dimensions, whether alarms or dashboards show it", () => {
    const shown = dashboard(
      ["odis-prod", "unfinished", "route", "reconcile", { label: "unfinished" }],
      ["odis-prod", "unfinished", "route", "deliver"],
      ["AWS/Lambda", "Errors", "FunctionName", "reference"],
      [{ expression: "a + b" }],
    );
    expect(count(alarm(own("unfinished", "reconcile")), alarm(aws), shown)).toMatchObject({
      metrics: 2,
      restingMetrics: 1,
      dashboards: 1,
    });
  });

  it("a route with detailed metrics and the mapping of a stream with event counts count six metrics each", () => {
    const RouteSettings = { one: { DetailedMetricsEnabled: true }, other: { DetailedMetricsEnabled: false } };
    const counted = count(
      { Type: "AWS::ApiGatewayV2::Stage", Properties: { RouteSettings } },
      { Type: "AWS::Lambda::EventSourceMapping", Properties: { MetricsConfig: { Metrics: ["EventCount"] } } },
      { Type: "AWS::Lambda::EventSourceMapping", Properties: {} },
    );
    expect(counted).toMatchObject({ metrics: 12, restingMetrics: 6 });
  });

  it("a template with something that has no price is refused", () => {
    expect(() => count({ Type: "AWS::CloudWatch::CompositeAlarm" })).toThrow("CompositeAlarm has no price");
    expect(() => count(alarm({ ...aws, Period: 10 }))).toThrow("less than a minute");
    expect(() => count(alarm({ Metrics: [{ Expression: "SELECT SUM(Errors) FROM x" }] }))).toThrow("query");
  });
});

it("monitoring of prod costs at most 12 dollars a month at rest", async () => {
  const billed = await countInProd();
  expect(billed).toMatchObject({ dashboards: 1, secrets: 4 });
  expect(monitoringDollars(billed, billed.restingMetrics)).toBeLessThanOrEqual(12);
});
