import { GetFunctionConcurrencyCommand, LambdaClient, paginateListFunctions } from "@aws-sdk/client-lambda";
import * as v from "valibot";
import { inParallel } from "../in-parallel.ts";
import type { Check, Fault } from "./check.ts";
import { type CheckedStack, revertDrift } from "./stack.ts";
import { namesOf, templateResources, textOf } from "./template.ts";

/** The variables and the reserved concurrency of a function. */
export type FunctionState = {
  readonly name: string;
  /** Undefined for a value that only CloudFormation can compute. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Undefined if no concurrent executions are reserved. */
  readonly reserved?: number | undefined;
};

type FunctionsOfStack = {
  readonly stage: string;
  readonly expected: readonly FunctionState[];
  readonly isInMaintenance: boolean;
};

/** Functions that were deleted, or whose variables or reserved concurrency differ from the template. */
export function functionFaults(
  functions: readonly FunctionState[],
  { stage, expected, isInMaintenance }: FunctionsOfStack,
): readonly Fault[] {
  return expected.flatMap(({ name, variables, reserved }): readonly Fault[] => {
    const deployed = functions.find((one) => one.name === name);
    if (!deployed)
      return [{ says: `The function ${name} was deleted.`, command: revertDrift({ stage, isInMaintenance }) }];
    const changed = changedNames(variables, deployed.variables);
    return [
      // Values are not printed, because some are secret.
      changed.length > 0 && {
        says: `The variables of ${name} differ from the template: ${changed.join(", ")}.`,
        command: revertDrift({ stage, isInMaintenance }),
      },
      deployed.reserved !== reserved &&
        !isInMaintenance && {
          says: `${deployed.reserved ?? "No"} concurrent executions are reserved for ${name}, but ${reserved ?? "none"} in the template.${deployed.reserved === 0 ? " It never runs." : ""}`,
          command:
            reserved === undefined
              ? `aws lambda delete-function-concurrency --function-name ${name}`
              : `aws lambda put-function-concurrency --function-name ${name} --reserved-concurrent-executions ${reserved}`,
        },
    ].filter((fault) => fault !== false);
  });
}

function changedNames(expected: FunctionState["variables"], deployed: FunctionState["variables"]): string[] {
  const names = new Set([...Object.keys(expected), ...Object.keys(deployed)]);
  return [...names].filter((name) => {
    if (!(name in expected) || !(name in deployed)) return true;
    return expected[name] !== undefined && expected[name] !== deployed[name];
  });
}

const Properties = v.object({
  Environment: v.optional(v.object({ Variables: v.record(v.string(), v.unknown()) }), { Variables: {} }),
  ReservedConcurrentExecutions: v.optional(v.number()),
});

async function look(stack: CheckedStack): Promise<readonly Fault[]> {
  const names = namesOf(stack);
  const expected = (await templateResources(stack, "AWS::Lambda::Function")).map(({ name, properties }) => {
    const { Environment, ReservedConcurrentExecutions: reserved } = v.parse(Properties, properties);
    const variables = Object.entries(Environment.Variables).map(([key, value]) => [key, textOf(value, names)]);
    return { name, variables: Object.fromEntries(variables) as FunctionState["variables"], reserved };
  });
  return functionFaults(await readFunctions(expected.map(({ name }) => name)), { ...stack, expected });
}

async function readFunctions(names: readonly string[]): Promise<FunctionState[]> {
  // Lambda limits the rate of these calls.
  const client = new LambdaClient({ maxAttempts: 8 });
  const deployed: { name: string; variables: Record<string, string> }[] = [];
  for await (const { Functions = [] } of paginateListFunctions({ client }, {}))
    for (const { FunctionName: name = "", Environment } of Functions)
      if (names.includes(name)) deployed.push({ name, variables: Environment?.Variables ?? {} });
  const functions: FunctionState[] = [];
  await inParallel(deployed, 5, async ({ name: FunctionName, variables }) => {
    const { ReservedConcurrentExecutions: reserved } = await client.send(
      new GetFunctionConcurrencyCommand({ FunctionName }),
    );
    functions.push({ name: FunctionName, variables, reserved });
  });
  return functions;
}

export const functions: Check = { name: "functions", look };
