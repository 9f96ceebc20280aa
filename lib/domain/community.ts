import * as v from "valibot";
import { Id, Timestamp } from "./scalars.ts";

export const Community = v.object({
  id: Id,
  uuid: v.pipe(v.string(), v.uuid()),
  name: v.string(),
  slug: v.string(),
  owner_id: Id,
  avatar_url: v.nullable(v.string()),
  status: v.picklist(["active", "archived"]),
  trending: v.boolean(),
  trending_pin: v.nullable(v.picklist(["on", "off"])),
  member_count: v.number(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Community = v.InferOutput<typeof Community>;
