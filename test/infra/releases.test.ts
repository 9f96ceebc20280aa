import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { fullDiff, ResourceImpact } from "@aws-cdk/cloudformation-diff";
import { describe, expect, it } from "vitest";
import { findMistakes, settingsFor } from "../../infra/settings.ts";
import { exampleOfProd } from "../../tools/build/variants.ts";
import { apiDomainRefusalsOf } from "../../tools/scripts/deploy/api-domain-refusals.ts";
import { refusedChanges } from "../../tools/scripts/deploy/refused-changes.ts";
import { synthesized } from "./synthesized.ts";

/**
 * The templates of what is deployed somewhere, of prod with the settings that this commit of Odis had. A release adds its own:
 * the resources of `cdk synth -c stage=prod`.
 */
const released = (name: string): Template =>
  JSON.parse(readFileSync(join(import.meta.dirname, "releases", `${name}.json`), "utf8")) as Template;
const prod = (more: object = {}): Template =>
  synthesized(settingsFor("prod", { ...exampleOfProd(), ...more })).template.toJSON() as Template;

type Template = { Resources: Record<string, { Type: string; Properties: Record<string, unknown> }> };

/** Types whose resources hold no data, no messages, and no address or id that anybody outside of the stack uses. */
const holdNothing = new Set([
  "AWS::ApiGatewayV2::Integration",
  "AWS::ApiGatewayV2::Route",
  "AWS::CloudFront::OriginAccessControl",
  "AWS::CloudFront::ResponseHeadersPolicy",
  "AWS::CloudWatch::Alarm",
  "AWS::IAM::Policy",
  "AWS::IAM::Role",
  "AWS::Lambda::LayerVersion",
  "AWS::Lambda::Permission",
  "AWS::SQS::QueuePolicy",
]);

const losing = new Set([
  ResourceImpact.WILL_REPLACE,
  ResourceImpact.MAY_REPLACE,
  ResourceImpact.WILL_DESTROY,
  ResourceImpact.WILL_ORPHAN,
]);

/** What an update would replace, delete or leave behind: `WILL_ORPHAN AWS::SQS::Queue` and how many. */
function losses(before: Template, after: Template): Record<string, number> {
  const found: Record<string, number> = {};
  fullDiff(before, after).resources.forEachDifference((_, { changeImpact, resourceType = "" }) => {
    if (!losing.has(changeImpact) || holdNothing.has(resourceType)) return;
    const change = `${changeImpact} ${resourceType}`;
    found[change] = (found[change] ?? 0) + 1;
  });
  return found;
}

describe("an update from 1.0.0 (commit aaeb428)", () => {
  const before = released("1.0.0");

  it("an update from 1.0.0 loses only what docs/upgrading.md lists", () => {
    expect(losses(before, prod({ caseSensitiveSignIn: true }))).toEqual({
      // They got names. A call that is under way ends in the former function.
      "WILL_REPLACE AWS::Lambda::Function": 47,
      // The documents became files behind CloudFront.
      "WILL_DESTROY AWS::Lambda::Function": 4,
      // Functions share a log group. Nothing is deleted.
      "WILL_ORPHAN AWS::Logs::LogGroup": 51,
      // A bucket took their place. Their messages stay until somebody handles them.
      "WILL_ORPHAN AWS::SQS::Queue": 2,
    });
  });

  it("an update from 1.0.0 requires what docs/upgrading.md tells operators to store, set and change", () => {
    const [, section = ""] =
      /\n## From 1\.0\.0 .*?\n(.*?)(?=\n## )/s.exec(readFileSync("docs/upgrading.md", "utf8")) ?? [];
    const after = prod();
    const of = (type: string, { Resources }: Template) =>
      Object.entries(Resources).filter(([, { Type }]) => Type === type);
    const secretsOf = (template: Template) => of("AWS::SecretsManager::Secret", template).map(([id]) => id);
    const flowsOf = (template: Template) =>
      of("AWS::Cognito::UserPoolClient", template).flatMap(
        ([, { Properties }]) => Properties.ExplicitAuthFlows as string[],
      );
    const added = secretsOf(after).filter((id) => !secretsOf(before).includes(id));
    // The stack makes the sealing key itself.
    expect(added.filter((id) => !id.startsWith("SecretsSealingKey"))).toEqual([
      expect.stringMatching(/^SecretsStripeReading/),
    ]);
    expect(section).toContain("`StripeReadingSecretArn`");
    const removed = flowsOf(before).filter((flow) => !flowsOf(after).includes(flow));
    expect(removed).toEqual(["ALLOW_USER_PASSWORD_AUTH"]);
    for (const flow of removed) expect(section).toContain(`\`${flow.replace("ALLOW_", "")}\``);
    const required = findMistakes("prod", {}).map((mistake) => /: (\w+) is missing/.exec(mistake)?.[1]);
    expect(required).toEqual(["sender", "alarmsTo"]);
    for (const setting of required) expect(section).toContain(`\`${setting}\``);
  });

  it("an update from 1.0.0 is refused only if the pool would stop distinguishing the case of addresses", () => {
    const refused = (after: Template) => refusedChanges(JSON.stringify(before), JSON.stringify(after));
    expect(refused(prod({ caseSensitiveSignIn: true }))).toEqual([]);
    expect(refused(prod())).toEqual([expect.stringContaining("UsernameConfiguration of IdentityPool9E5AED46")]);
  });
});

describe("an update from commit f2c66f8", () => {
  const before = released("f2c66f8");

  it("an update from commit f2c66f8 is accepted and loses nothing, but leaves unused log groups", () => {
    const after = prod();
    // The functions of routes share one log group. Nothing is deleted.
    expect(losses(before, after)).toEqual({ "WILL_ORPHAN AWS::Logs::LogGroup": 13 });
    expect(refusedChanges(JSON.stringify(before), JSON.stringify(after))).toEqual([]);
  });

  it("an update from commit f2c66f8 changes the roles of functions in place, and removes only unused roles", () => {
    const after = prod();
    const changed = new Map<string, ResourceImpact>();
    fullDiff(before, after).resources.forEachDifference((id, { changeImpact, resourceType }) => {
      if (resourceType === "AWS::Lambda::Function" || resourceType === "AWS::IAM::Role") changed.set(id, changeImpact);
    });
    const given = Object.entries(after.Resources).filter(([id, { Properties }]) => {
      const former = before.Resources[id];
      return former?.Type === "AWS::Lambda::Function" && !isDeepStrictEqual(Properties.Role, former.Properties.Role);
    });
    expect(given.length).toBeGreaterThan(0);
    for (const [id] of given) expect([id, changed.get(id)]).toEqual([id, ResourceImpact.WILL_UPDATE]);
    const removed = [...changed].filter(([, impact]) => impact === ResourceImpact.WILL_DESTROY).map(([id]) => id);
    expect(removed.length).toBeGreaterThan(0);
    expect(removed.filter((id) => JSON.stringify(after).includes(id))).toEqual([]);
  });

  it("an update from commit f2c66f8 keeps the only host name of the API if apiDomain has the use exclusive", async () => {
    const { apiDomain } = exampleOfProd() as { readonly apiDomain: object };
    const file = { ...exampleOfProd(), apiDomain: { ...apiDomain, use: "exclusive" } };
    const changed: string[] = [];
    fullDiff(before, prod(file)).resources.forEachDifference((_, { resourceType = "", propertyUpdates }) => {
      if (resourceType.startsWith("AWS::ApiGatewayV2::")) changed.push(...Object.keys(propertyUpdates));
    });
    expect(changed.length).toBeGreaterThan(0);
    for (const property of ["DisableExecuteApiEndpoint", "DomainName"]) expect(changed).not.toContain(property);
    const deployed = { template: JSON.stringify(before), outputs: {} };
    expect(await apiDomainRefusalsOf(settingsFor("prod", file), deployed)).toEqual([]);
  });

  it("an update that replaces the table, deletes the pool or renames a queue is reported", () => {
    const { Table710B521B: table, IdentityPool9E5AED46: _, ...others } = prod().Resources;
    const { DeliveriesQueue99C7B338: queue } = others;
    if (!table || !queue) throw new Error("The template has neither the table nor the queue");
    const Resources = {
      ...others,
      Table710B521B: { ...table, Properties: { ...table.Properties, TableName: "another" } },
      DeliveriesQueue99C7B338: { ...queue, Properties: { ...queue.Properties, QueueName: "another" } },
    };
    expect(losses(before, { Resources })).toEqual({
      "WILL_REPLACE AWS::DynamoDB::GlobalTable": 1,
      "WILL_ORPHAN AWS::Cognito::UserPool": 1,
      "WILL_ORPHAN AWS::Logs::LogGroup": 13,
      "WILL_REPLACE AWS::SQS::Queue": 1,
      // Both of the table's stream, and that of the queue.
      "WILL_REPLACE AWS::Lambda::EventSourceMapping": 3,
    });
  });
});
