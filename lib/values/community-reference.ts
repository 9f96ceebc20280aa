import * as v from "valibot";
import { Id } from "./scalars.ts";

/** A reference to a community in another record. */
export const CommunityReference = v.object({ id: Id, name: v.string() });
