import { CloudWatchClient, type MetricAlarm, paginateDescribeAlarms } from "@aws-sdk/client-cloudwatch";
import type { Check, Fault } from "./check.ts";
import { commandOf } from "./runbook.ts";
import { type CheckedStack, resourcesOf, revertDrift } from "./stack.ts";

type AlarmsOfStack = {
  readonly stage: string;
  /** Names of the alarms in the template. */
  readonly names: readonly string[];
  readonly isInMaintenance: boolean;
};

/** Alarms that fire, are missing, or notify nobody. */
export function alarmFaults(
  alarms: readonly MetricAlarm[],
  { stage, names, isInMaintenance }: AlarmsOfStack,
): readonly Fault[] {
  const byName = new Map(alarms.map((alarm) => [alarm.AlarmName, alarm]));
  return names.flatMap((name): readonly Fault[] => {
    const alarm = byName.get(name);
    if (!alarm) return [{ says: `The alarm ${name} was deleted.`, command: revertDrift({ stage }) }];
    const [, reason = "", section = ""] =
      /^(.*?)\.? See (\w+) in docs\/operations\.md\.$/.exec(alarm.AlarmDescription ?? "") ?? [];
    const since = alarm.StateUpdatedTimestamp?.toISOString() ?? "an unknown time";
    return [
      alarm.StateValue === "ALARM" && {
        says: `${name} has been firing since ${since}: ${reason}.`,
        command: commandOf(section, stage),
      },
      !alarm.AlarmActions?.length && {
        says: `The alarm ${name} has no actions, so it notifies nobody.`,
        command: revertDrift({ stage }),
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
