import { join } from "node:path";
import { routes } from "#lib/contract/index.ts";
import { connect, documents, type Writer } from "#lib/store/table.ts";
import { startCognito } from "./cognito.ts";
import { createTable, startDynamoDB } from "./dynamodb.ts";
import { loadFunctions } from "./functions.ts";
import { startGateway } from "./gateway.ts";
import type { Pages } from "./pages.ts";

const pool = { region: "eu-central-1", poolId: "eu-central-1_OdisLocal", clientId: "odislocalclient000000000000" };
const tableName = "odis-local";

type Options = { readonly port?: number; readonly folder?: string; readonly pages?: Pages };

export type Stack = Awaited<ReturnType<typeof startStack>>;

/**
 * The cloud in this process: the engine, sign-in and the gateway, calling the bundles of `dist/` as they are deployed.
 * With a folder everything is kept in it; without one it is gone at the end.
 */
export async function startStack({ port = 0, folder, pages }: Options = {}) {
  if (process.env.AWS_LAMBDA_FUNCTION_NAME) throw new Error("The local stack must not run on AWS");
  const engine = await startDynamoDB(folder === undefined ? {} : { file: join(folder, "table.db") });
  Object.assign(process.env, {
    AWS_REGION: pool.region,
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
    AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
    TABLE_NAME: tableName,
    CURSOR_KEY: "local cursors are signed with this",
    USER_POOL_ID: pool.poolId,
    CLIENT_ID: pool.clientId,
  });
  await createTable(engine.endpoint, tableName);

  const functions = loadFunctions({ dist: join(import.meta.dirname, "../../dist") });
  const cognito = await startCognito({
    ...pool,
    ...(folder !== undefined && { stateFile: join(folder, "users.json") }),
    preTokenGeneration: (event) => functions.call("pre-token-generation", event),
  });
  process.env.JWKS = JSON.stringify(cognito.jwks);

  const gateway = await startGateway({ port, routes, pages, invoke: functions.invoke });
  const table: Writer = connect(documents(), tableName)();

  return {
    url: gateway.url,
    /** The table as the functions see it. */
    table,
    cognito,
    /** Takes what was built anew. */
    reload: functions.reload,
    async stop(): Promise<void> {
      await gateway.close();
      await cognito.close();
      table.client.destroy();
      await engine.stop();
    },
  };
}
