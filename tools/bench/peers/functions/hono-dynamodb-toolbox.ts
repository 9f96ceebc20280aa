import { cognito } from "../../../../lib/auth/verify.ts";
import { env } from "../../../../lib/env.ts";
import { documents } from "../../../../lib/store/table.ts";
import { appOn } from "../app.ts";
import { toolboxReads } from "../dynamodb-toolbox.ts";
import { honoHandler } from "../hono.ts";

const reads = toolboxReads(documents(), env("TABLE_NAME"));

export const handler = honoHandler(appOn(() => reads, cognito()));
