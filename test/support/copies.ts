import { BatchWriteCommand, type DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb";

type Items = Record<string, unknown>[];

/** All items of a table, including expired ones. */
export async function allItems(client: DynamoDBDocumentClient, TableName: string): Promise<Items> {
  const found: Items = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const page = await client.send(new ScanCommand({ TableName, ...(ExclusiveStartKey && { ExclusiveStartKey }) }));
    found.push(...(page.Items ?? []));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return found;
}

/** Restores a table to an earlier copy of its items. */
export async function restore(client: DynamoDBDocumentClient, name: string, copy: Items): Promise<void> {
  const now = await allItems(client, name);
  const deletions = now.map(({ pk, sk }) => ({ DeleteRequest: { Key: { pk, sk } } }));
  for (const requests of [deletions, copy.map((Item) => ({ PutRequest: { Item } }))])
    for (let n = 0; n < requests.length; n += 25)
      await client.send(new BatchWriteCommand({ RequestItems: { [name]: requests.slice(n, n + 25) } }));
}
