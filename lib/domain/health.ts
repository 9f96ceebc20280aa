import * as v from "valibot";
import { documented } from "../values/documented.ts";

export const Health = documented(v.object({ status: v.literal("ok"), version: v.string(), stage: v.string() }), {
  status: ["Always `ok`.", "ok"],
  version: ["Version of the service.", "1.0.0"],
  stage: ["Stage of the deployment: `prod`, `sandbox`, `sandbox-<name>`, or `local` on the local stack.", "prod"],
});
