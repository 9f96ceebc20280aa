import { ScanCommand, type ScanCommandOutput } from "@aws-sdk/lib-dynamodb";
import { expressions, type Item } from "./expression.ts";
import { communityOf, type Key, kindOf, prefixOf } from "./keys.ts";
import type { Writer } from "./table.ts";

/** Every community there is, by reading the whole table: for operators only, no function may scan. */
export async function communityIds(table: Writer): Promise<number[]> {
  const text = expressions();
  const { pk, sk } = prefixOf("community");
  // Much has a community as its parent, and its sort key says so.
  const FilterExpression = `${text.equal({ sk })} AND begins_with(${text.name("pk")}, ${text.value(pk)})`;
  const ProjectionExpression = [text.name("pk"), text.name("sk")].join();
  const input = { TableName: table.name, FilterExpression, ProjectionExpression, ...text.placeholders() };
  const ids: number[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const page = await scan(table, { ...input, ...(ExclusiveStartKey && { ExclusiveStartKey }) });
    const found = (page.Items ?? []) as Key[];
    ids.push(...found.filter((key) => kindOf(key) === "community").map(communityOf));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return ids.toSorted((a, b) => a - b);
}

/** Every item of the table, in no order: for operators only, no function may scan. */
export async function* everyItem(table: Writer): AsyncGenerator<Item & Key> {
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const page = await scan(table, { TableName: table.name, ...(ExclusiveStartKey && { ExclusiveStartKey }) });
    yield* (page.Items ?? []) as (Item & Key)[];
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
}

const throttled = ["ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded"];

/** One page, however long the table is throttled: nobody waits for it. */
async function scan(
  { client, runtime }: Writer,
  input: ConstructorParameters<typeof ScanCommand>[0],
): Promise<ScanCommandOutput> {
  for (;;) {
    try {
      return await client.send(new ScanCommand(input));
    } catch (error) {
      if (!(error instanceof Error && throttled.includes(error.name))) throw error;
      await runtime.wait(1000);
    }
  }
}
