import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { expressions } from "./expression.ts";
import { communityOf, type Key, keys } from "./keys.ts";
import type { Writer } from "./table.ts";

/** Every community there is, by reading the whole table: for operators only, no function may scan. */
export async function communityIds({ client, name: TableName }: Writer): Promise<number[]> {
  const text = expressions();
  const FilterExpression = text.equal({ sk: keys.community(0).sk });
  const ProjectionExpression = text.name("pk");
  const ids: number[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const page = await client.send(
      new ScanCommand({
        TableName,
        FilterExpression,
        ProjectionExpression,
        ...text.placeholders(),
        ...(ExclusiveStartKey && { ExclusiveStartKey }),
      }),
    );
    for (const item of page.Items ?? []) ids.push(communityOf(item as Key));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return ids.toSorted((a, b) => a - b);
}
