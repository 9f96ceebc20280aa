import type * as v from "valibot";
import { oneOf } from "./scalars.ts";

/** What a member of a community's team may do. The rights of each role are in `lib/auth/rights.ts`. */
export const TeamRole = oneOf(["manager", "support", "viewer"]);
export type TeamRole = v.InferOutput<typeof TeamRole>;
