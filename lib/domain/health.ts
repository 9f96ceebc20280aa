import * as v from "valibot";

export const Health = v.object({ status: v.literal("ok"), version: v.string(), stage: v.string() });
