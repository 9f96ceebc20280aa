import { CloudWatchLogsClient, DescribeLogGroupsCommand, type LogGroup } from "@aws-sdk/client-cloudwatch-logs";
import { pick } from "#lib/pick.ts";
import type { Check, Fault } from "./check.ts";
import { type MaybeInMaintenance, revertDrift } from "./stack.ts";
import { templateResources } from "./template.ts";

type LogGroupOfStack = MaybeInMaintenance & { readonly name: string; readonly days: number };

/** A log group that is missing, or keeps its lines for another time than in the template. @param group undefined if there is none */
export function logGroupFaults(
  group: Pick<LogGroup, "retentionInDays"> | undefined,
  { name, days, ...stack }: LogGroupOfStack,
): readonly Fault[] {
  if (!group) return [{ says: `The log group ${name} was deleted.`, command: revertDrift(stack) }];
  if (group.retentionInDays === days) return [];
  const time = group.retentionInDays === undefined ? "forever" : `for ${group.retentionInDays} days`;
  return [
    {
      says: `The log group ${name} keeps its lines ${time}, not for ${days} days.`,
      command: `aws logs put-retention-policy --log-group-name ${name} --retention-in-days ${days}`,
    },
  ];
}

export const logs: Check = {
  name: "log groups",
  async look(stack) {
    const client = new CloudWatchLogsClient();
    const faults = await Promise.all(
      (await templateResources(stack, "AWS::Logs::LogGroup")).map(async ({ name, properties }) => {
        const { logGroups = [] } = await client.send(new DescribeLogGroupsCommand({ logGroupNamePrefix: name }));
        const group = logGroups.find(({ logGroupName }) => logGroupName === name);
        return logGroupFaults(group, {
          ...pick(stack, ["stage", "isInMaintenance"]),
          name,
          days: Number(properties.RetentionInDays),
        });
      }),
    );
    return faults.flat();
  },
};
