import { cognito } from "../../../../lib/auth/verify.ts";
import { connect } from "../../../../lib/store/table.ts";
import { appOn } from "../app.ts";
import { honoHandler } from "../hono.ts";

const open = connect();

export const handler = honoHandler(appOn(open, cognito()));
