import type { Settings } from "../../../infra/settings.ts";
import { certificates } from "../doctor/certificates.ts";
import { type Check, examine } from "../doctor/check.ts";
import { email } from "../doctor/email.ts";
import { policies } from "../doctor/quotas.ts";

/** What can be known about an account before the first deployment of a stage. */
const checks: readonly Check[] = [...email, certificates, policies];

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
