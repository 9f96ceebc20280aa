import type { TestProject } from "vitest/node";
import { outputsOf } from "../../tools/scripts/stack-outputs.ts";

/** Passes the stack of the stage in `ODIS_STAGE`, which is deployed to AWS, to the tests. */
export async function setup({ provide }: TestProject): Promise<void> {
  const { ODIS_STAGE: stage = "" } = process.env;
  const { ApiUrl = "", TableName = "", UserPoolId = "", ClientId = "" } = await outputsOf({ stage });
  provide("deployed", {
    url: ApiUrl.replace(/\/$/, ""),
    folder: "",
    variables: {},
    stage,
    tableName: TableName,
    userPoolId: UserPoolId,
    clientId: ClientId,
  });
}
