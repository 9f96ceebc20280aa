import { EventBridgeClient, ListRulesCommand, type Rule } from "@aws-sdk/client-eventbridge";
import type { Check, Fault } from "./check.ts";
import { type CheckedStack, outputOf, resourcesOf, revertDrift } from "./stack.ts";

type RulesOfStack = {
  readonly stage: string;
  /** The rules in the template: their ids there and in AWS. */
  readonly expected: readonly { readonly id: string; readonly name: string }[];
  readonly isInMaintenance: boolean;
};

/** Rules that are disabled or missing: what they schedule or forward does not happen. */
export function ruleFaults(
  rules: readonly Rule[],
  { stage, expected, isInMaintenance }: RulesOfStack,
): readonly Fault[] {
  return expected.flatMap(({ id, name }): readonly Fault[] => {
    // CloudFormation names a rule of another bus than the default one `<bus>|<rule>`.
    const rule = rules.find(({ Name }) => Name === name.split("|").at(-1));
    if (!rule) return [{ says: `The rule ${id} was deleted.`, command: revertDrift({ stage }) }];
    const { Name, State, EventBusName = "default", ScheduleExpression } = rule;
    if (State !== "DISABLED" || isInMaintenance) return [];
    const effect = ScheduleExpression === undefined ? "no events are forwarded" : "its schedule does not run";
    const ofBus = EventBusName === "default" ? "" : ` --event-bus-name ${EventBusName}`;
    return [
      { says: `The rule ${id} is disabled: ${effect}.`, command: `aws events enable-rule --name ${Name}${ofBus}` },
    ];
  });
}

async function look(stack: CheckedStack): Promise<readonly Fault[]> {
  const client = new EventBridgeClient();
  const rules: Rule[] = [];
  for (const EventBusName of ["default", outputOf(stack, "EventBusName")]) {
    let NextToken: string | undefined;
    do {
      const page = await client.send(
        new ListRulesCommand({ EventBusName, NamePrefix: `odis-${stack.stage}-`, NextToken }),
      );
      rules.push(...(page.Rules ?? []));
      ({ NextToken } = page);
    } while (NextToken !== undefined);
  }
  return ruleFaults(rules, { ...stack, expected: resourcesOf(stack, "AWS::Events::Rule") });
}

export const rules: Check = { name: "rules and schedules", look };
