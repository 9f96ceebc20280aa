import { expect, it } from "vitest";
import { settingsFor } from "../../../../infra/settings.ts";
import { apiDomainRefusalsOf } from "../../../../tools/scripts/deploy/api-domain-refusals.ts";
import { prodFile, synthesized } from "../../../infra/synthesized.ts";

type Use = "none" | "origin" | "exclusive";
const name = "origin-k3v9.example.com";
const certificateArn = "arn:aws:acm:eu-central-1:123456789012:certificate/1";
const settingsWith = (use: Use, host = name) =>
  settingsFor("prod", { ...prodFile, apiDomain: { name: host, certificateArn, use } });
const outputs = { ApiDomainTarget: "d-1.execute-api.eu-central-1.amazonaws.com" };
const deployedWith = (settings: ReturnType<typeof settingsFor>) => ({
  outputs,
  template: JSON.stringify(synthesized(settings).template.toJSON()),
});
const without = deployedWith(settingsFor("prod", prodFile));
const [created, used] = [deployedWith(settingsWith("none")), deployedWith(settingsWith("origin"))];

const responds = async () => undefined;
const unknown = async (origin: string) => `${origin}/health does not respond: fetch failed`;

const mustCreate = (host: string) =>
  `stages/prod.json: Remove apiDomain.use for this deployment, which creates ${host} in API Gateway. The target of its DNS record is known only afterwards.`;
const mustBeOrigin =
  'stages/prod.json: apiDomain.use must be "origin" in one deployment before it is "exclusive": API Gateway would disable the default endpoint while CloudFront still uses it.';

it.each([
  ["a new stage creates it", settingsWith("none"), undefined, unknown, []],
  ["a new stage uses it", settingsWith("origin"), undefined, responds, [mustCreate(name)]],
  ["a stage creates it", settingsWith("none"), without, unknown, []],
  ["a stage without it uses it", settingsWith("origin"), without, responds, [mustCreate(name)]],
  ["a stage without it has no other address", settingsWith("exclusive"), without, responds, [mustCreate(name)]],
  ["a stage that has created it uses it", settingsWith("origin"), created, responds, []],
  [
    "a stage uses it before its DNS record exists",
    settingsWith("origin"),
    created,
    unknown,
    [
      `stages/prod.json: apiDomain.use cannot be "origin" yet: https://${name}/health does not respond: fetch failed. Point ${name} to ${outputs.ApiDomainTarget} with a CNAME record.`,
    ],
  ],
  ["a stage that does not use it has no other address", settingsWith("exclusive"), created, responds, [mustBeOrigin]],
  ["a stage that uses it has no other address", settingsWith("exclusive"), used, unknown, []],
  ["a stage that uses it stays as it is", settingsWith("origin"), used, unknown, []],
  ["a stage returns to the default endpoint", settingsWith("none"), used, unknown, []],
  [
    "a stage uses another name at once",
    settingsWith("origin", "b.example.com"),
    used,
    responds,
    [mustCreate("b.example.com")],
  ],
  ["a stage has no name any more", settingsFor("prod", prodFile), used, unknown, []],
])(
  "the domain of the API is deployed in steps, of which none is left out: %s",
  async (_, settings, deployed, problemAt, refusals) => {
    expect(await apiDomainRefusalsOf(settings, deployed, problemAt)).toEqual(refusals);
  },
);

it("a name that does not resolve is not used for the API", async () => {
  const host = "origin-k3v9.example.invalid";
  expect(await apiDomainRefusalsOf(settingsWith("origin", host), deployedWith(settingsWith("none", host)))).toEqual([
    expect.stringContaining(`https://${host}/health does not respond`),
  ]);
});
