import * as v from "valibot";
import { Id } from "./scalars.ts";

/** A community where another record refers to it. */
export const CommunityReference = v.object({ id: Id, name: v.string() });
