import { DescribeTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import {
  type EventSourceMappingConfiguration,
  LambdaClient,
  paginateListEventSourceMappings,
} from "@aws-sdk/client-lambda";
import type { Check, Fault } from "./check.ts";
import { type CheckedStack, outputOf, resourcesOf, revertDrift } from "./stack.ts";

type MappingsOfStack = {
  readonly stage: string;
  /** Ids in AWS of the mappings in the template. */
  readonly ids: readonly string[];
  readonly isInMaintenance: boolean;
  /** The stream of the table. Undefined if it has none. */
  readonly streamArn: string | undefined;
};

/** Event source mappings that are disabled, missing or failing: Lambda reads nothing from the stream or queue. */
export function mappingFaults(
  mappings: readonly EventSourceMappingConfiguration[],
  { stage, ids, isInMaintenance, streamArn }: MappingsOfStack,
): readonly Fault[] {
  return ids.flatMap((id): readonly Fault[] => {
    const mapping = mappings.find(({ UUID }) => UUID === id);
    if (!mapping)
      return [
        { says: `The event source mapping ${id} was deleted.`, command: revertDrift({ stage, isInMaintenance }) },
      ];
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
    if (EventSourceArn.includes(":dynamodb:") && streamArn !== undefined && EventSourceArn !== streamArn)
      return [
        {
          says: `The event source mapping of ${name} reads an earlier stream of the table, which gets no changes.`,
          command: revertDrift({ stage, isInMaintenance }),
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
  const { Table } = await new DynamoDBClient().send(
    new DescribeTableCommand({ TableName: outputOf(stack, "TableName") }),
  );
  return mappingFaults(found, { ...stack, ids, streamArn: Table?.LatestStreamArn });
}

export const mappings: Check = { name: "event source mappings", look };
