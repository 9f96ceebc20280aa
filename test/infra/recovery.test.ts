import { describe, expect, it } from "vitest";
import { routes } from "#lib/contract/index.ts";
import { recoveryFrom } from "../../infra/recovery.ts";
import { settingsFor } from "../../infra/settings.ts";
import { prodFile, synthesized } from "./synthesized.ts";

const streamArn = "arn:aws:dynamodb:eu-central-1:000000000000:table/odis-restored/stream/2026-11-22T12:00:00.000";
const context = (given: Readonly<Record<string, unknown>>) => recoveryFrom((name) => given[name]);

describe("the options of an operator for one deployment", () => {
  it.each([
    [{}, { maintenance: false }],
    [{ maintenance: "true" }, { maintenance: true }],
    [{ maintenance: true }, { maintenance: true }],
  ])("the context %j of a deployment is accepted", (given, expected) => {
    expect(context(given)).toEqual(expected);
  });

  it.each([
    [{ maintenance: "yes" }, "Use -c maintenance=true"],
    [{ table: "odis-restored", stream: streamArn }, "A restored table is the setting table of stages/<stage>.json"],
    [{ stream: streamArn }, "A restored table is the setting table of stages/<stage>.json"],
  ])("the context %j of a deployment is refused", (given, reason) => {
    expect(() => context(given)).toThrow(reason);
  });
});

describe("maintenance", () => {
  const { resources } = synthesized({ ...settingsFor("prod", prodFile), maintenance: true });
  type Stage = { DefaultRouteSettings: object; RouteSettings: Readonly<Record<string, object>> };
  const [stage] = Object.values(resources<Stage>("AWS::ApiGatewayV2::Stage"));

  it("maintenance closes every route, including those with their own settings", () => {
    const closed = { ThrottlingRateLimit: 0, ThrottlingBurstLimit: 0 };
    expect(stage?.Properties.DefaultRouteSettings).toMatchObject(closed);
    const own = Object.values(stage?.Properties.RouteSettings ?? {});
    expect(own.length).toBeGreaterThan(8);
    for (const settings of own) expect(settings).toMatchObject(closed);
  });

  it("maintenance stops all functions, schedules and consumers, and disables alarms, but events still reach the delivery queue", () => {
    // CDK's own, which copies the site, is called by deployments alone.
    const functions = Object.values(resources<{ FunctionName?: string }>("AWS::Lambda::Function"));
    const own = functions.filter(({ Properties }) => Properties.FunctionName !== undefined);
    expect(own.length).toBeGreaterThan(routes.length);
    for (const { Properties } of own) expect(Properties).toMatchObject({ ReservedConcurrentExecutions: 0 });
    const rules = Object.values(
      resources<{ readonly State: string; readonly ScheduleExpression?: string }>("AWS::Events::Rule"),
    );
    const [schedules, others] = [true, false].map((isSchedule) =>
      rules.filter(({ Properties }) => isSchedule === (Properties.ScheduleExpression !== undefined)),
    );
    expect(schedules?.length).toBeGreaterThan(2);
    for (const { Properties } of schedules ?? []) expect(Properties).toMatchObject({ State: "DISABLED" });
    // The API and the events consumer still run while the deployment begins.
    expect(others).toMatchObject([{ Properties: { State: "ENABLED" } }]);
    for (const { Properties } of Object.values(resources("AWS::Lambda::EventSourceMapping")))
      expect(Properties).toMatchObject({ Enabled: false });
    for (const { Properties } of Object.values(resources("AWS::CloudWatch::Alarm")))
      expect(Properties).toMatchObject({ ActionsEnabled: false });
  });

  it("maintenance ends with the next deployment, which reserves nothing and enables everything", () => {
    const after = synthesized(settingsFor("prod", prodFile));
    for (const { Properties } of Object.values(after.resources("AWS::Lambda::Function")))
      expect(Properties).not.toHaveProperty("ReservedConcurrentExecutions");
    for (const { Properties } of Object.values(after.resources("AWS::Lambda::EventSourceMapping")))
      expect(Properties).toMatchObject({ Enabled: true });
  });
});

describe("a restored table", () => {
  const table = { name: "odis-restored", streamArn };
  const settings = settingsFor("prod", { ...prodFile, table, epoch: 3 });
  const { template, resources } = synthesized(settings);
  type Variables = { readonly Environment?: { readonly Variables: Readonly<Record<string, unknown>> } };
  const variables = Object.values(resources<Variables>("AWS::Lambda::Function")).map(
    ({ Properties }) => Properties.Environment?.Variables ?? {},
  );

  it("a restored table replaces the stack's own table in every function, event source mapping and policy", () => {
    const [own = ""] = Object.keys(resources("AWS::DynamoDB::GlobalTable"));
    const { Resources } = template.toJSON() as { Resources: Record<string, object> };
    const others = Object.entries(Resources).filter(([id]) => id !== own);
    expect(others.filter(([, resource]) => JSON.stringify(resource).includes(own)).map(([id]) => id)).toEqual([]);
    const names = variables.flatMap(({ TABLE_NAME }) => TABLE_NAME ?? []);
    expect(names.length).toBeGreaterThan(40);
    expect(new Set(names)).toEqual(new Set(["odis-restored"]));
    const ofStream = Object.entries(resources("AWS::Lambda::EventSourceMapping")).filter(
      ([id]) => !id.startsWith("Deliveries"),
    );
    expect(ofStream).toHaveLength(2);
    for (const [, { Properties }] of ofStream) expect(Properties).toMatchObject({ EventSourceArn: streamArn });
  });

  it("every function that uses a restored table or sends events gets the table's epoch", () => {
    const told = variables.filter(({ TABLE_NAME, EVENT_BUS_NAME }) => TABLE_NAME ?? EVENT_BUS_NAME);
    expect(new Set(told.map(({ EPOCH }) => EPOCH))).toEqual(new Set(["3"]));
  });

  it("a deployment changes the table only if it names the new one: the template allows no other parameter value", () => {
    const parametersOf = (file: object) =>
      synthesized(settingsFor("prod", { ...prodFile, ...file })).template.findParameters("TableInUse").TableInUse;
    expect(parametersOf({ table, epoch: 3 })).toMatchObject({
      Default: "odis-restored",
      AllowedValues: ["odis-restored"],
    });
    expect(parametersOf({})).toMatchObject({ Default: "own", AllowedValues: ["own"] });
    template.hasOutput("UsedTable", { Value: { Ref: "TableInUse" } });
    template.hasOutput("Epoch", { Value: "3" });
  });

  it("the stack's own table is unchanged while a restored table is used, so that a deployment can return to it", () => {
    const before = synthesized(settingsFor("prod", prodFile)).resources("AWS::DynamoDB::GlobalTable");
    expect(resources("AWS::DynamoDB::GlobalTable")).toEqual(before);
  });
});
