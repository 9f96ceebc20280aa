import * as v from "valibot";
import type { Settings } from "../../../infra/settings.ts";
import { healthProblem } from "./smoke.ts";

/** What is deployed of a stage. */
type Deployed = { readonly template: string; readonly outputs: Readonly<Record<string, string>> };

const Template = v.object({
  Resources: v.record(v.string(), v.object({ Type: v.string(), Properties: v.optional(v.unknown()) })),
});
const DomainName = v.object({ DomainName: v.string() });
const Distribution = v.object({
  DistributionConfig: v.object({ Origins: v.array(v.object({ DomainName: v.unknown() })) }),
});

/**
 * Returns the reasons why CloudFront could not call the API with the setting `apiDomain`, one sentence each. The use of a
 * name advances one step per deployment.
 *
 * @param deployed undefined if nothing is deployed yet
 * @param problemAt returns why the API does not respond at an origin; undefined if it does
 */
export async function apiDomainRefusalsOf(
  { stage, apiDomain }: Pick<Settings, "stage" | "apiDomain">,
  deployed: Deployed | undefined,
  problemAt: (origin: string) => Promise<string | undefined> = (origin) => healthProblem(origin, undefined),
): Promise<string[]> {
  if (!apiDomain || apiDomain.use === "none") return [];
  const { name, use } = apiDomain;
  const file = `stages/${stage}.json`;
  const { isMapped, isOrigin } = stateOf(name, deployed?.template);
  if (isOrigin) return [];
  if (!isMapped)
    return [
      `${file}: Remove apiDomain.use for this deployment, which creates ${name} in API Gateway. The target of its DNS record is known only afterwards.`,
    ];
  if (use === "exclusive")
    return [
      `${file}: apiDomain.use must be "origin" in one deployment before it is "exclusive": API Gateway would disable the default endpoint while CloudFront still uses it.`,
    ];
  const problem = await problemAt(`https://${name}`);
  if (problem === undefined) return [];
  return [
    `${file}: apiDomain.use cannot be "origin" yet: ${problem}. Point ${name} to ${deployed?.outputs.ApiDomainTarget} with a CNAME record.`,
  ];
}

/** Whether API Gateway has a name, and whether CloudFront calls the API at it, according to a template in JSON. */
function stateOf(name: string, template: string | undefined) {
  const { Resources } = template === undefined ? { Resources: {} } : v.parse(Template, JSON.parse(template));
  const has = (type: string, matches: (properties: unknown) => boolean) =>
    Object.values(Resources).some(({ Type, Properties }) => Type === type && matches(Properties));
  return {
    isMapped: has("AWS::ApiGatewayV2::DomainName", (domain) => v.is(DomainName, domain) && domain.DomainName === name),
    isOrigin: has(
      "AWS::CloudFront::Distribution",
      (distribution) =>
        v.is(Distribution, distribution) &&
        distribution.DistributionConfig.Origins.some(({ DomainName: origin }) => origin === name),
    ),
  };
}
