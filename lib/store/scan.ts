import { ScanCommand, type ScanCommandOutput } from "@aws-sdk/lib-dynamodb";
import { expressions, type Item } from "./expression.ts";
import { communityOf, type Key, kindOf, prefixOf } from "./keys.ts";
import type { Writer } from "./table.ts";

/** The ids of all communities. Scans the whole table, which no function may: for operators only. */
export async function communityIds(table: Writer): Promise<number[]> {
  const text = expressions();
  const { pk, sk } = prefixOf("community");
  // Items of other kinds have the same sort key, such as the item that finds the community of a member.
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

/** All items of the table, in no particular order. Functions may not scan: for operators only. */
export async function* everyItem(table: Writer): AsyncGenerator<Item & Key> {
  for await (const { items } of everyPage(table, {})) yield* items;
}

/** The items of a scan's page, and the key after which the next page begins. Undefined at the end. */
type ScanPage = { readonly items: readonly (Item & Key)[]; readonly last: Key | undefined };

/** The pages of all items after a key, each of at most `limit` items and 1 MB. For operators only, like `everyItem`. */
export async function* everyPage(
  table: Writer,
  { after, limit }: { readonly after?: Key | undefined; readonly limit?: number },
): AsyncGenerator<ScanPage> {
  let last = after;
  do {
    const start = last && { ExclusiveStartKey: last };
    const page = await scan(table, { TableName: table.name, ...start, ...(limit && { Limit: limit }) });
    last = page.LastEvaluatedKey as Key | undefined;
    yield { items: (page.Items ?? []) as (Item & Key)[], last };
  } while (last);
}

const throttled = ["ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded"];

/** One page of a scan. Retries without limit while the table is throttled, as no request waits for it. */
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
