import { DescribeTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { Settings } from "../../../infra/settings.ts";
import { indexFaults } from "../doctor/table.ts";

/**
 * Returns the reasons why the new version could not read the restored table of a stage, one sentence and a command each. If
 * the table cannot be described, for example without a permission, returns none.
 */
export async function indexRefusalsOf({ stage, table }: Pick<Settings, "stage" | "table">): Promise<string[]> {
  if (!table) return [];
  const { name } = table;
  const { Table } = await new DynamoDBClient()
    .send(new DescribeTableCommand({ TableName: name }))
    .catch(() => ({ Table: undefined }));
  if (!Table) return [];
  return indexFaults(Table, { stage, name, isOwn: false }).map(
    ({ says, command }) => `${says} Deploy when it is active. Run: ${command}`,
  );
}
