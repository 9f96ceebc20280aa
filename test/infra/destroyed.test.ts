import { describe, expect, it } from "vitest";
import { settingsFor } from "../../infra/settings.ts";
import { prodFile, synthesized } from "./synthesized.ts";

type Resources = Readonly<
  Record<string, { Type: string; DeletionPolicy?: string; Properties?: Readonly<Record<string, unknown>> }>
>;
const resourcesOf = (stage: string, file: object) =>
  Object.entries(
    (synthesized(settingsFor(stage, { ...prodFile, ...file })).template.toJSON() as { Resources: Resources }).Resources,
  );

const sandbox = resourcesOf("sandbox", { epoch: 1 });
const prod = resourcesOf("prod", { epoch: 1 });
const isRetained = ([, { DeletionPolicy = "Delete" }]: (typeof prod)[number]) => DeletionPolicy !== "Delete";

describe("a sandbox that was deleted", () => {
  it("CloudFormation deletes every resource of a sandbox", () => {
    expect(sandbox.filter(isRetained).map(([id]) => id)).toEqual([]);
  });

  it("no resource of a sandbox is protected from deletion", () => {
    const names = ["DeletionProtection", "DeletionProtectionEnabled"];
    const isOn = (value: unknown): boolean =>
      typeof value === "object" && value !== null
        ? Object.entries(value).some(([name, inner]) =>
            names.includes(name) ? inner === true || inner === "ACTIVE" : isOn(inner),
          )
        : false;
    expect(sandbox.filter(([, { Properties }]) => isOn(Properties)).map(([id]) => id)).toEqual([]);
    expect(
      prod
        .filter(([, { Properties }]) => isOn(Properties))
        .map(([, { Type }]) => Type)
        .toSorted(),
    ).toEqual(["AWS::Cognito::UserPool", "AWS::DynamoDB::GlobalTable"]);
  });

  it("the log that the gateway writes has a name for which AWS adds nothing to the resource policy of the account", () => {
    type Stage = { AccessLogSettings: { DestinationArn: { "Fn::GetAtt": [string] } } };
    const stages = sandbox.filter(([, { Type }]) => Type === "AWS::ApiGatewayV2::Stage");
    const logs = stages.map(([, { Properties }]) => {
      const { AccessLogSettings } = Properties as unknown as Stage;
      return Object.fromEntries(sandbox)[AccessLogSettings.DestinationArn["Fn::GetAtt"][0]]?.Properties?.LogGroupName;
    });
    expect(logs).toEqual(["/aws/vendedlogs/odis-sandbox-access"]);
  });
});

it("what prod retains has no fixed name, so a new stack can be created beside it", () => {
  const retained = prod.filter(isRetained);
  expect(retained.length).toBeGreaterThan(10);
  const names = ["BucketName", "TableName", "UserPoolName", "LogGroupName", "QueueName", "Name"];
  expect(
    retained.filter(([, { Properties = {} }]) => names.some((name) => name in Properties)).map(([id]) => id),
  ).toEqual([]);
});
