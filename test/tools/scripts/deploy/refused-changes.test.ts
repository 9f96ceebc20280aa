import { expect, it } from "vitest";
import { settingsFor } from "../../../../infra/settings.ts";
import { refusedChanges } from "../../../../tools/scripts/deploy/refused-changes.ts";
import { prodFile, synthesized } from "../../../infra/synthesized.ts";

const template = (file: object) =>
  JSON.stringify(synthesized(settingsFor("prod", { ...prodFile, ...file })).template.toJSON());
const insensitive = template({});
const sensitive = template({ caseSensitiveSignIn: true });
const refusal = [
  'AWS refuses to change UsernameConfiguration of IdentityPool9E5AED46 (https://github.com/aws-amplify/amplify-cli/issues/4227): set "caseSensitiveSignIn" in the file of the stage to what the pool was made with (docs/upgrading.md).',
];

it("an update that changes the case sensitivity of a pool is refused", () => {
  expect(refusedChanges(sensitive, insensitive)).toEqual(refusal);
  expect(refusedChanges(insensitive, sensitive)).toEqual(refusal);
});

it("a pool of the first release, without UsernameConfiguration, is unchanged with caseSensitiveSignIn", () => {
  expect(sensitive).not.toContain("UsernameConfiguration");
  expect(refusedChanges(sensitive, sensitive)).toEqual([]);
});
