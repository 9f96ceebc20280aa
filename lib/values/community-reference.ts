import * as v from "valibot";
import { documented } from "./documented.ts";
import { Id } from "./scalars.ts";

/** A community where another record refers to it. */
export const CommunityReference = documented(v.object({ id: Id, name: v.string() }), {
  id: ["Unique identifier of the community.", 1],
  name: ["Name of the community.", "Mezcal Circle"],
});
