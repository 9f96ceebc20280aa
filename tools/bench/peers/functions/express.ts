import { cognito } from "../../../../lib/auth/verify.ts";
import { connect } from "../../../../lib/store/table.ts";
import { appOn } from "../app.ts";
import { expressHandler } from "../express.ts";

const open = connect();

export const handler = expressHandler(appOn(open, cognito()));
