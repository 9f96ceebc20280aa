import { type Settings, tableInUse } from "../../../infra/settings.ts";
import type { DescribedStack } from "./cloudformation.ts";

/** The properties of an account and region that a deployment depends on. */
export type Account = {
  readonly region: string;
  readonly isBootstrapped: boolean;
  /** Lambda's quota "Concurrent executions". New accounts have 10. */
  readonly concurrentExecutions: number;
};

/** Minimum concurrency that AWS requires to remain unreserved. */
const leastUnreserved = 100;

/** Concurrent executions of Lambda that a stage needs. */
export function concurrencyFor({ throttle, reservedConcurrency, alarmsTo }: Settings): number {
  const { webhook = 0, signIn = 0, schedules = 0 } = reservedConcurrency;
  // The schedules are reconcile, snapshots, the export of accounts and, if alarms have recipients, the canary.
  const reserved = webhook + signIn + (alarmsTo.length > 0 ? 4 : 3) * schedules;
  // Requests take less than a second, so the rate limit is also the maximum concurrency.
  return reserved + Math.max(throttle.rateLimit, reserved > 0 ? leastUnreserved : 0);
}

/** Returns the reasons why a stage cannot be deployed to an account, one sentence each. */
export function refusalsOf(settings: Settings, { region, isBootstrapped, concurrentExecutions }: Account): string[] {
  const { stage, allowOrigins } = settings;
  const file = `stages/${stage}.json`;
  const needed = concurrencyFor(settings);
  const refusals: string[] = [];
  if (stage === "prod" && allowOrigins.length === 0)
    refusals.push(`${file}: allowOrigins is missing: checkout would refuse every redirect URL.`);
  if (!isBootstrapped) refusals.push(`The CDK has not been set up in ${region}: run npx cdk bootstrap.`);
  if (concurrentExecutions < needed)
    refusals.push(
      `Lambda allows ${concurrentExecutions} concurrent executions in ${region}, but ${stage} needs ${needed}: raise the quota ` +
        `"Concurrent executions" of Lambda in Service Quotas, or lower throttle in ${file}.`,
    );
  return refusals;
}

/**
 * Returns the reasons why a stack must not be deployed with the table and epoch of its settings, one sentence each.
 *
 * @param running undefined if there is no such stack
 * @param named the table that the operator has confirmed with an option
 */
export function tableRefusalsOf(settings: Settings, running: DescribedStack | undefined, named?: string): string[] {
  const file = `stages/${settings.stage}.json`;
  const [wanted, { epoch }] = [tableInUse(settings), settings];
  const refusals: string[] = [];
  if (named !== undefined && named !== wanted)
    refusals.push(`--table names ${named}, but ${file} names ${wanted}: set the same table in both.`);
  if (!running) return refusals;
  const {
    TableName = "",
    UsedTable = TableName.startsWith(`odis-${settings.stage}-`) ? "own" : TableName,
    Epoch = "0",
  } = running.outputs;
  const isOther = UsedTable !== "" && UsedTable !== wanted;
  if (isOther && named === undefined)
    refusals.push(
      `The stack uses the table ${UsedTable}, but ${file} names ${wanted}: correct the file, or add --table ${wanted} if the stack is to change its table.`,
    );
  if (epoch < Number(Epoch)) refusals.push(`${file}: epoch is ${epoch}, but the stack already has ${Epoch}.`);
  else if (isOther && epoch === Number(Epoch))
    refusals.push(`${file}: epoch must be higher than ${Epoch}, because the stack changes its table.`);
  return refusals;
}
