import { describe, expect, it } from "vitest";
import { routes } from "#lib/contract/index.ts";
import { settingsFor } from "../../infra/settings.ts";
import { prodFile, synthesized } from "./synthesized.ts";

const { template, resources } = synthesized(settingsFor("sandbox", { allowOrigins: ["https://app.example.com"] }));

describe("a stage", () => {
  it.each([
    "staging",
    "",
    "toString",
    "sandbox-",
    "sandbox-Anna",
    "sandbox-a-name",
    "sandbox-abcdefghijklmnop",
    "prod-anna",
  ])("an unknown stage is refused with the list of stages: %j", (stage) => {
    expect(() => settingsFor(stage)).toThrow(
      `Unknown stage "${stage}": use prod, sandbox or sandbox-<name>, whose name has at most 15 lowercase letters and digits.`,
    );
  });

  it("the names of all functions of a sandbox with the longest name have at most 64 characters, as Lambda requires", () => {
    const functions = synthesized(settingsFor("sandbox-abcdefghijklmno")).resources<{ FunctionName?: string }>(
      "AWS::Lambda::Function",
    );
    const names = Object.values(functions).flatMap(({ Properties: { FunctionName = [] } }) => FunctionName);
    expect(names.length).toBeGreaterThan(routes.length);
    expect(names.filter((name) => name.length > 64)).toEqual([]);
  });

  it.each(["AWS::DynamoDB::GlobalTable", "AWS::Cognito::UserPool", "AWS::Logs::LogGroup"])(
    "a destroyed sandbox deletes its %s",
    (type) => {
      expect(new Set(Object.values(resources(type)).map(({ DeletionPolicy }) => DeletionPolicy))).toEqual(
        new Set(["Delete"]),
      );
    },
  );

  it("the gateway has the throttle of its stage, and its access log is JSON", () => {
    const [stage] = Object.values(
      resources<{ AccessLogSettings: { Format: string }; DefaultRouteSettings: object }>("AWS::ApiGatewayV2::Stage"),
    );
    expect(stage?.Properties.DefaultRouteSettings).toMatchObject({
      ThrottlingRateLimit: 50,
      ThrottlingBurstLimit: 100,
    });
    expect(JSON.parse(stage?.Properties.AccessLogSettings.Format ?? "")).toMatchObject({
      request_id: "$context.requestId",
      route: "$context.routeKey",
    });
  });
});

describe("stand-ins of AWS and Stripe", () => {
  const variablesOf = ({ resources: found }: ReturnType<typeof synthesized>) =>
    Object.entries(found<{ Environment?: { Variables: Readonly<Record<string, unknown>> } }>("AWS::Lambda::Function"))
      .filter(([id]) => !id.startsWith("CustomCDKBucketDeployment"))
      .map(([, { Properties }]) => Properties.Environment?.Variables);
  const standIns = { AWS_ENDPOINT_URL_DYNAMODB: "", JWKS: "", STRIPE_API_BASE: "", STRIPE_SECRET: "" };

  it("stand-ins can replace AWS and Stripe in a sandbox, whose functions declare the variables for them", () => {
    const found = variablesOf(synthesized(settingsFor("sandbox")));
    expect(found.length).toBeGreaterThan(routes.length);
    for (const variables of found) expect(variables).toMatchObject(standIns);
  });

  it("functions in prod do not declare the variables of stand-ins", () => {
    const found = variablesOf(synthesized(settingsFor("prod", prodFile)));
    expect(found.length).toBeGreaterThan(routes.length);
    for (const variables of found)
      for (const name of Object.keys(standIns)) expect(variables ?? {}).not.toHaveProperty(name);
  });
});

describe("browsers of other origins", () => {
  it("CORS allows the origins in the settings", () => {
    template.hasResourceProperties("AWS::ApiGatewayV2::Api", {
      CorsConfiguration: {
        AllowOrigins: ["https://app.example.com"],
        AllowMethods: ["GET", "POST", "PATCH", "DELETE"],
      },
    });
  });

  it("CORS allows no other origins by default", () => {
    const [closed] = Object.values(synthesized(settingsFor("sandbox")).resources<object>("AWS::ApiGatewayV2::Api"));
    expect(closed?.Properties).not.toHaveProperty("CorsConfiguration");
  });
});
