import { join } from "node:path";
import { variablesOf } from "./deploy.ts";
import { adaptTemplate } from "./template.ts";

/** The last part of the CDK app of a copy (`copyProject`): adapts the template of a stack, so that ministack can deploy it. */
const [stack = "", folder = "", apiUrl] = process.argv.slice(2);
const { CDK_OUTDIR = "" } = process.env;
await adaptTemplate(join(CDK_OUTDIR, `${stack}.template.json`), { variables: variablesOf(folder), apiUrl });
