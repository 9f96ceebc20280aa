import { EventBridgeClient, ListRulesCommand, ListTargetsByRuleCommand, type Rule } from "@aws-sdk/client-eventbridge";
import type { Check, Fault } from "./check.ts";
import { type CheckedStack, outputOf, resourcesOf, revertDrift } from "./stack.ts";

type RulesOfStack = {
  readonly stage: string;
  /** The rules in the template: their ids there and in AWS. */
  readonly expected: readonly { readonly id: string; readonly name: string }[];
  readonly isInMaintenance: boolean;
};

/** A rule, and the number of its targets. */
type RuleState = Rule & { readonly targets: number };

/** Name of a rule. CloudFormation names a rule of another bus than the default one `<bus>|<rule>`. */
export const ruleName = (name: string): string | undefined => name.split("|").at(-1);

/** Rules that are disabled, missing or without a target: what they schedule or forward does not happen. */
export function ruleFaults(
  rules: readonly RuleState[],
  { stage, expected, isInMaintenance }: RulesOfStack,
): readonly Fault[] {
  return expected.flatMap(({ id, name }): readonly Fault[] => {
    const rule = rules.find(({ Name }) => Name === ruleName(name));
    if (!rule) return [{ says: `The rule ${id} was deleted.`, command: revertDrift({ stage, isInMaintenance }) }];
    const { Name, State, EventBusName = "default", ScheduleExpression } = rule;
    const effect = ScheduleExpression === undefined ? "no events are forwarded" : "its schedule does not run";
    if (rule.targets === 0)
      return [{ says: `The rule ${id} has no target: ${effect}.`, command: revertDrift({ stage, isInMaintenance }) }];
    // Maintenance disables the schedules only.
    if (State !== "DISABLED" || (isInMaintenance && ScheduleExpression !== undefined)) return [];
    const ofBus = EventBusName === "default" ? "" : ` --event-bus-name ${EventBusName}`;
    return [
      { says: `The rule ${id} is disabled: ${effect}.`, command: `aws events enable-rule --name ${Name}${ofBus}` },
    ];
  });
}

/** The rules of a stage on the default bus and on its own. */
export async function readRules(stack: CheckedStack, client: EventBridgeClient): Promise<readonly Rule[]> {
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
  return rules;
}

async function look(stack: CheckedStack): Promise<readonly Fault[]> {
  const client = new EventBridgeClient();
  const rules = await readRules(stack, client);
  const states = await Promise.all(
    rules.map(async (rule) => {
      const { Targets = [] } = await client.send(
        new ListTargetsByRuleCommand({ Rule: rule.Name, EventBusName: rule.EventBusName }),
      );
      return { ...rule, targets: Targets.length };
    }),
  );
  return ruleFaults(states, { ...stack, expected: resourcesOf(stack, "AWS::Events::Rule") });
}

export const rules: Check = { name: "rules and schedules", look };
