import { Access } from "./access.ts";
import { describeFields } from "./documented.ts";

describeFields(Access, {
  granted: ["Whether the person may enter.", true],
  reason: ["Why the person may or may not enter.", "active"],
  until: "Time at which access is due to end. `null` if no end is scheduled.",
});
