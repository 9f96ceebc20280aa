import { expect, it } from "vitest";
import { routes } from "#lib/contract/index.ts";
import { settingsFor } from "../../infra/settings.ts";
import { functions, resources } from "./prod.ts";
import { prodFile, synthesized } from "./synthesized.ts";

type Rule = {
  readonly ScheduleExpression?: string;
  readonly Targets: readonly {
    readonly Arn: { readonly "Fn::GetAtt": readonly [string, string] };
    readonly Input?: string;
  }[];
};
const warmUps = (of: Readonly<Record<string, { readonly Properties: Rule }>>) =>
  Object.values(of)
    .map(({ Properties }) => Properties)
    .filter(({ Targets }) => Targets.some(({ Input }) => Input === '{"warm_up":true}'));

it("the functions with which an app opens are called every five minutes in prod", () => {
  const rules = warmUps(resources<Rule>("AWS::Events::Rule"));
  expect(rules.map(({ ScheduleExpression }) => ScheduleExpression)).toEqual(["rate(5 minutes)"]);
  const called = rules.flatMap(({ Targets }) =>
    Targets.map(({ Arn }) => functions[Arn["Fn::GetAtt"][0]]?.Properties.FunctionName),
  );
  const paths = [
    "/odis/v1/communities/{id}",
    "/odis/v1/communities/{community_id}/tiers",
    "/odis/v1/communities/{community_id}/membership",
    "/odis/v1/communities/{community_id}/benefits",
    "/api/v1/communities/explore",
  ];
  const opened = paths.map((path) => routes.find((one) => one.path === path && one.method === "GET"));
  // EventBridge allows five targets per rule.
  expect(paths).toHaveLength(5);
  expect(new Set(called)).toEqual(new Set(opened.map((route) => `odis-prod-${route?.id}`)));
});

it("no function is kept warm in a sandbox, or in prod with keepWarm false", () => {
  for (const settings of [settingsFor("sandbox"), settingsFor("prod", { ...prodFile, keepWarm: false })])
    expect(warmUps(synthesized(settings).resources<Rule>("AWS::Events::Rule"))).toEqual([]);
});
