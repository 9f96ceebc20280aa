import { describeFields } from "../values/documented.ts";
import { Health } from "./health.ts";

describeFields(Health, {
  status: ["Always `ok`.", "ok"],
  version: [
    "Version of the service: the release and, if it was deployed with `npm run deploy`, the commit after `+`. It ends in `.dirty` if files differed from the commit.",
    "1.0.0+3f2a9c1d4e5f",
  ],
  stage: ["Stage of the deployment: `prod`, `sandbox`, `sandbox-<name>`, or `local` on the local stack.", "prod"],
});
