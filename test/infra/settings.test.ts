import { describe, expect, it } from "vitest";
import { routes } from "#lib/contract/index.ts";
import { settingsFor } from "../../infra/settings.ts";
import { prodFile, synthesized } from "./synthesized.ts";

const { template, resources } = synthesized(settingsFor("sandbox", { allowOrigins: ["https://app.example.com"] }));

describe("a stage", () => {
  it.each(["staging", "", "toString", "sandbox-", "sandbox-Anna", "sandbox-a-name-that-is-long", "prod-anna"])(
    "%j is refused by name, with those that exist",
    (stage) => {
      expect(() => settingsFor(stage)).toThrow(
        `There is no stage "${stage}": say -c stage=sandbox, -c stage=sandbox-<name> or -c stage=prod.`,
      );
    },
  );

  it.each(["AWS::DynamoDB::GlobalTable", "AWS::Cognito::UserPool", "AWS::Logs::LogGroup"])(
    "that is a sandbox takes its %s along when it is destroyed",
    (type) => {
      expect(new Set(Object.values(resources(type)).map(({ DeletionPolicy }) => DeletionPolicy))).toEqual(
        new Set(["Delete"]),
      );
    },
  );

  it("decides how much the gateway lets through, which it logs as JSON", () => {
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

  it("may take the place of what a sandbox's functions ask, as each declares where they would be", () => {
    const found = variablesOf(synthesized(settingsFor("sandbox")));
    expect(found.length).toBeGreaterThan(routes.length);
    for (const variables of found) expect(variables).toMatchObject(standIns);
  });

  it("may not in prod", () => {
    const found = variablesOf(synthesized(settingsFor("prod", prodFile)));
    expect(found.length).toBeGreaterThan(routes.length);
    for (const variables of found)
      for (const name of Object.keys(standIns)) expect(variables ?? {}).not.toHaveProperty(name);
  });
});

describe("browsers of other origins", () => {
  it("are let in where the settings name them", () => {
    template.hasResourceProperties("AWS::ApiGatewayV2::Api", {
      CorsConfiguration: {
        AllowOrigins: ["https://app.example.com"],
        AllowMethods: ["GET", "POST", "PATCH", "DELETE"],
      },
    });
  });

  it("are kept out until then", () => {
    const [closed] = Object.values(synthesized(settingsFor("sandbox")).resources<object>("AWS::ApiGatewayV2::Api"));
    expect(closed?.Properties).not.toHaveProperty("CorsConfiguration");
  });
});
