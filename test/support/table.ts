import { connect, documents } from "#lib/store/table.ts";
import { createTable, startDynamoDB } from "../../tools/local/dynamodb.ts";

/** Timeouts for a table engine in tests, in milliseconds. Long enough for a busy machine. */
export const clientTimeouts = { connectionTimeout: 60_000, requestTimeout: 60_000 };

/** An empty table in a new engine, to which all clients of this process connect from now on. */
export async function openTable(name: string, { stream = false } = {}) {
  const engine = await startDynamoDB();
  process.env.AWS_ENDPOINT_URL_DYNAMODB = engine.endpoint;
  process.env.CURSOR_KEY = "test cursors are signed with this";
  process.env.SEALING_KEY = "test secrets are encrypted with this";
  await createTable(engine.endpoint, name, { stream });
  const client = documents(clientTimeouts, engine.endpoint);
  return {
    name,
    client,
    table: connect(client, name)(),
    async close(): Promise<void> {
      client.destroy();
      await engine.stop();
    },
  };
}
