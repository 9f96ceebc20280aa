import type { Settings } from "../../../infra/settings.ts";

/** What has to be known of an account and region before a deployment. */
export type Account = {
  readonly region: string;
  readonly isBootstrapped: boolean;
  /** Lambda's quota "Concurrent executions". New accounts have 10. */
  readonly concurrentExecutions: number;
};

/** AWS does not let the executions that functions have for themselves leave the others with less. */
const leastUnreserved = 100;

/** Why a stage cannot be deployed to an account, one sentence for each reason; nothing where it can. */
export function refusalsOf(settings: Settings, { region, isBootstrapped, concurrentExecutions }: Account): string[] {
  const { stage, allowOrigins, throttle, reservedConcurrency } = settings;
  const file = `stages/${stage}.json`;
  const { webhook = 0, signIn = 0, schedules = 0 } = reservedConcurrency;
  const reserved = webhook + signIn + 2 * schedules;
  // Requests take less than a second, so that no more run at once than come in a second.
  const needed = reserved + Math.max(throttle.rateLimit, reserved > 0 ? leastUnreserved : 0);
  const refusals: string[] = [];
  if (allowOrigins.length === 0)
    refusals.push(`${file}: allowOrigins is missing: checkout would refuse every redirect URL.`);
  if (!isBootstrapped) refusals.push(`The CDK has not been set up in ${region}: run npx cdk bootstrap.`);
  if (concurrentExecutions < needed)
    refusals.push(
      `Lambda allows ${concurrentExecutions} concurrent executions in ${region}, but ${stage} needs ${needed}: raise the quota ` +
        `"Concurrent executions" of Lambda in Service Quotas, or lower throttle in ${file}.`,
    );
  return refusals;
}
