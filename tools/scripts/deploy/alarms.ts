import { CloudWatchClient, paginateDescribeAlarms, SetAlarmStateCommand } from "@aws-sdk/client-cloudwatch";
import * as v from "valibot";

const Template = v.object({
  Resources: v.record(
    v.string(),
    v.object({ Type: v.string(), Properties: v.optional(v.object({ ActionsEnabled: v.optional(v.boolean()) })) }),
  ),
});

/** Whether a template disables the actions of its alarms, as during maintenance. */
export function silencesAlarms(template: string): boolean {
  const { Resources } = v.parse(Template, JSON.parse(template));
  return Object.values(Resources).some(
    ({ Type, Properties }) => Type === "AWS::CloudWatch::Alarm" && Properties?.ActionsEnabled === false,
  );
}

/**
 * Sets the firing alarms of a stage to OK. CloudWatch notifies only when the state changes, so that an alarm that began to
 * fire during maintenance would never notify. It evaluates them again within minutes.
 *
 * @returns the names of the alarms
 */
export async function resetAlarms(stage: string): Promise<string[]> {
  const client = new CloudWatchClient();
  const names: string[] = [];
  const prefix = `odis-${stage}-`;
  // Alarms of the stage sandbox-anna have the prefix of sandbox too, but another hyphen after it.
  const isOfStage = (name: string) => name.startsWith(prefix) && !name.slice(prefix.length).includes("-");
  const pages = paginateDescribeAlarms({ client }, { AlarmNamePrefix: prefix, StateValue: "ALARM" });
  for await (const { MetricAlarms = [] } of pages)
    names.push(...MetricAlarms.flatMap(({ AlarmName = [] }) => AlarmName).filter(isOfStage));
  const StateReason = "Set by npm run deploy at the end of maintenance";
  for (const AlarmName of names)
    await client.send(new SetAlarmStateCommand({ AlarmName, StateValue: "OK", StateReason }));
  return names;
}
