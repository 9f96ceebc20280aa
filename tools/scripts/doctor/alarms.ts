import { CloudWatchClient, type MetricAlarm, paginateDescribeAlarms } from "@aws-sdk/client-cloudwatch";
import type { Check, Fault } from "./check.ts";
import { commandOf } from "./runbook.ts";
import { type CheckedStack, resourcesOf, revertDrift } from "./stack.ts";

type AlarmsOfStack = {
  readonly stage: string;
  /** Names of the alarms in the template. */
  readonly names: readonly string[];
  readonly isInMaintenance: boolean;
  /** When the stack was created. */
  readonly createdAt?: Date | undefined;
  readonly now: Date;
};

/** Longest time from the creation of a stack to the first data of its metrics, in milliseconds. */
const maxDeploymentMs = 60 * 60_000;

/** Whether an alarm fires because the stack is too young to have sent the data that the alarm evaluates. */
function isTooYoung(alarm: MetricAlarm, { createdAt, now }: Pick<AlarmsOfStack, "createdAt" | "now">): boolean {
  if (alarm.TreatMissingData !== "breaching" || createdAt === undefined) return false;
  const { Period, Metrics = [], EvaluationPeriods = 1 } = alarm;
  const periods = [Period, ...Metrics.flatMap((metric) => [metric.Period, metric.MetricStat?.Period])];
  const evaluatedMs = 1000 * EvaluationPeriods * Math.max(...periods.map((seconds) => seconds ?? 0));
  return now.getTime() - createdAt.getTime() < maxDeploymentMs + evaluatedMs;
}

/** Alarms that fire, are missing, or notify nobody. */
export function alarmFaults(
  alarms: readonly MetricAlarm[],
  { stage, names, isInMaintenance, ...age }: AlarmsOfStack,
): readonly Fault[] {
  const byName = new Map(alarms.map((alarm) => [alarm.AlarmName, alarm]));
  return names.flatMap((name): readonly Fault[] => {
    const alarm = byName.get(name);
    if (!alarm) return [{ says: `The alarm ${name} was deleted.`, command: revertDrift({ stage, isInMaintenance }) }];
    const [, reason = "", section = ""] =
      /^(.*?)\.? See (\w+) in docs\/operations\.md\.$/.exec(alarm.AlarmDescription ?? "") ?? [];
    const since = alarm.StateUpdatedTimestamp?.toISOString() ?? "an unknown time";
    return [
      alarm.StateValue === "ALARM" &&
        !isTooYoung(alarm, age) && {
          says: `${name} has been firing since ${since}: ${reason}.`,
          command: commandOf(section, stage),
        },
      !alarm.AlarmActions?.length && {
        says: `The alarm ${name} has no actions, so it notifies nobody.`,
        command: revertDrift({ stage, isInMaintenance }),
      },
      alarm.ActionsEnabled === false &&
        !isInMaintenance && {
          says: `The actions of the alarm ${name} are disabled, so it notifies nobody.`,
          command: `aws cloudwatch enable-alarm-actions --alarm-names ${name}`,
        },
    ].filter((fault) => fault !== false);
  });
}

async function look(stack: CheckedStack): Promise<readonly Fault[]> {
  const client = new CloudWatchClient();
  const alarms: MetricAlarm[] = [];
  for await (const { MetricAlarms = [] } of paginateDescribeAlarms(
    { client },
    { AlarmNamePrefix: `odis-${stack.stage}-` },
  ))
    alarms.push(...MetricAlarms);
  const names = resourcesOf(stack, "AWS::CloudWatch::Alarm").map(({ name }) => name);
  return alarmFaults(alarms, { ...stack, names });
}

export const alarms: Check = { name: "alarms", look };
