import { CloudFrontClient, ListDistributionsCommand } from "@aws-sdk/client-cloudfront";
import type { Settings } from "../../../infra/settings.ts";
import { certificates } from "../doctor/certificates.ts";
import { type Check, examine } from "../doctor/check.ts";
import { email } from "../doctor/email.ts";
import { policies } from "../doctor/quotas.ts";

/** What can be known about an account before the first deployment of a stage. */
const checks: readonly Check[] = [...email, certificates, ...policies];

/**
 * Returns the reasons why the first deployment of a stage would fail, or leave it without email, one sentence and a command
 * each. A check that is not possible, for example without a permission, is left out.
 */
export async function accountRefusalsOf(
  settings: Settings,
  region: string,
  made: readonly Check[] = checks,
): Promise<string[]> {
  const outcomes = await examine(made, {
    stage: settings.stage,
    region,
    status: "",
    hasTerminationProtection: false,
    outputs: {},
    resources: [],
    isInMaintenance: false,
    settings: () => settings,
    now: new Date(),
  });
  return outcomes.flatMap(({ faults }) => faults.map(({ says, command }) => `${says} Run: ${command}`));
}

/**
 * Returns a hint, in one line, if CloudFront may refuse the account. AWS does not tell whether it has verified an account,
 * but one that has a distribution is verified.
 */
export async function verificationHintOf(): Promise<string | undefined> {
  const { DistributionList } = await new CloudFrontClient()
    .send(new ListDistributionsCommand({ MaxItems: 1 }))
    .catch(() => ({ DistributionList: undefined }));
  if (DistributionList?.Quantity !== 0) return undefined;
  return 'The account has no CloudFront distribution yet. If the deployment fails with "Your account must be verified", ask AWS Support to verify the account for CloudFront, and deploy again.';
}
