import {
  type EventSourceMappingConfiguration,
  LambdaClient,
  paginateListEventSourceMappings,
} from "@aws-sdk/client-lambda";
import type { Check, Fault } from "./check.ts";
import { type CheckedStack, resourcesOf, revertDrift } from "./stack.ts";

type MappingsOfStack = {
  readonly stage: string;
  /** Ids in AWS of the mappings in the template. */
  readonly ids: readonly string[];
  readonly isInMaintenance: boolean;
};

/** Event source mappings that are disabled, missing or failing: Lambda reads nothing from the stream or queue. */
export function mappingFaults(
  mappings: readonly EventSourceMappingConfiguration[],
  { stage, ids, isInMaintenance }: MappingsOfStack,
): readonly Fault[] {
  return ids.flatMap((id): readonly Fault[] => {
    const mapping = mappings.find(({ UUID }) => UUID === id);
    if (!mapping) return [{ says: `The event source mapping ${id} was deleted.`, command: revertDrift({ stage }) }];
    const { FunctionArn = "", EventSourceArn = "", State = "", LastProcessingResult = "" } = mapping;
    const [name = ""] = FunctionArn.split(`:function:odis-${stage}-`).slice(1);
    const source = EventSourceArn.includes(":dynamodb:")
      ? "the stream"
      : `the queue ${EventSourceArn.split(":").at(-1)}`;
    if (State.startsWith("Disabl"))
      return isInMaintenance
        ? []
        : [
            {
              says: `The event source mapping of ${name} is disabled, so it reads nothing from ${source}.`,
              command: `aws lambda update-event-source-mapping --uuid ${id} --enabled`,
            },
          ];
    if (!LastProcessingResult.startsWith("PROBLEM")) return [];
    return [
      {
        says: `${name} fails to handle ${source}: ${LastProcessingResult}.`,
        command: `npm run logs -- --stage ${stage} Errors --function ${name}`,
      },
    ];
  });
}

async function look(stack: CheckedStack): Promise<readonly Fault[]> {
  const found: EventSourceMappingConfiguration[] = [];
  for await (const { EventSourceMappings = [] } of paginateListEventSourceMappings({ client: new LambdaClient() }, {}))
    found.push(...EventSourceMappings);
  const ids = resourcesOf(stack, "AWS::Lambda::EventSourceMapping").map(({ name }) => name);
  return mappingFaults(found, { ...stack, ids });
}

export const mappings: Check = { name: "event source mappings", look };
