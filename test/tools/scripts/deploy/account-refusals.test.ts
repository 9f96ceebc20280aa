import { expect, it } from "vitest";
import { settingsFor } from "../../../../infra/settings.ts";
import { accountRefusalsOf } from "../../../../tools/scripts/deploy/account-refusals.ts";
import { policiesPerStage } from "../../../../tools/scripts/doctor/quotas.ts";
import { resources } from "../../../infra/prod.ts";

it("a first deployment is refused with each fault of the account and the command that mends it", async () => {
  const refused = await accountRefusalsOf(settingsFor("sandbox"), "eu-central-1", [
    { name: "email", look: async ({ stage, region }) => [{ says: `${stage} in ${region}.`, command: "aws ses" }] },
    {
      name: "certificates",
      look: async () => {
        throw new Error("AccessDenied");
      },
    },
  ]);
  expect(refused).toEqual(["sandbox in eu-central-1. Run: aws ses"]);
});

it("a stage has as many response-headers policies as doctor expects", () => {
  expect(Object.keys(resources("AWS::CloudFront::ResponseHeadersPolicy"))).toHaveLength(policiesPerStage);
});
