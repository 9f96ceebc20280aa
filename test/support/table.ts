import { connect, documents } from "#lib/store/table.ts";
import { createTable, startDynamoDB } from "../../tools/local/dynamodb.ts";

/** How long tests wait for a table engine, in milliseconds: so long that only a hang exceeds it on a busy machine. */
export const clientTimeouts = { connectionTimeout: 60_000, requestTimeout: 60_000 };

/** An empty table in an engine of its own. All clients of this process connect to that engine from now on. */
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
