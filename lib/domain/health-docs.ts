import { describeFields } from "../values/documented.ts";
import { Health } from "./health.ts";

describeFields(Health, {
  status: ["Always `ok`.", "ok"],
  version: ["Version of the service.", "1.0.0"],
  stage: ["Stage of the deployment: `prod`, `sandbox`, `sandbox-<name>`, or `local` on the local stack.", "prod"],
});
