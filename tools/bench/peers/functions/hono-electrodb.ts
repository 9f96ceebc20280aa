import { cognito } from "../../../../lib/auth/verify.ts";
import { env } from "../../../../lib/env.ts";
import { documents } from "../../../../lib/store/table.ts";
import { appOn } from "../app.ts";
import { electroReads } from "../electrodb.ts";
import { honoHandler } from "../hono.ts";

const reads = electroReads(documents(), env("TABLE_NAME"));

export const handler = honoHandler(appOn(() => reads, cognito()));
