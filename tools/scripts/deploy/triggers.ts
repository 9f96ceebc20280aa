/**
 * Options of `cdk deploy` that let no alarm roll back the deployment. Without them, CloudFormation applies the triggers that
 * it saved at an earlier deployment.
 *
 * @see https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_RollbackConfiguration.html
 */
export const clearTriggers: readonly string[] = [
  "--rollback-trigger-alarm-arns",
  "none",
  "--monitoring-time-minutes",
  "0",
];

type TriggerOptions = {
  /** Minutes after the deployment in which alarms can roll it back. */
  readonly monitor: number;
  /** Whether alarms may roll back the deployment. */
  readonly triggers: boolean;
  /** Context of the deployment. Maintenance begins because something is wrong, so that alarms may be firing. */
  readonly context: readonly string[];
};

/** Whether a deployment with this context begins or continues maintenance. */
export const isMaintenance = (context: readonly string[]): boolean => context.includes("maintenance=true");

/**
 * Returns the options of `cdk deploy` for the alarms that roll back a deployment.
 *
 * @param alarmArns alarms of the deployed version; undefined for a new stack, which has no saved triggers
 */
export function triggerOptions(
  alarmArns: readonly string[] | undefined,
  { monitor, triggers, context }: TriggerOptions,
): readonly string[] {
  if (alarmArns === undefined) return [];
  if (!triggers || isMaintenance(context) || alarmArns.length === 0) return clearTriggers;
  // The CLI takes one value per option, and ignores more.
  const words = alarmArns.flatMap((arn) => ["--rollback-trigger-alarm-arns", arn]);
  return [...words, "--monitoring-time-minutes", String(monitor)];
}
