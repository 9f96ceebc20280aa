import * as v from "valibot";
import { Id, integer, Timestamp } from "../values/scalars.ts";
import { eventTypes } from "./event-type.ts";
import { Cursor, Per } from "./page.ts";

/** An event in a list. Its type determines `data` and `previous`. */
export const ListedEvent = v.object({
  id: v.string(),
  type: v.string(),
  timestamp: Timestamp,
  sequence: integer(1),
  subject: v.string(),
  community_id: Id,
  data: v.record(v.string(), v.unknown()),
  previous: v.record(v.string(), v.unknown()),
  changed: v.optional(v.array(v.string())),
});

export type ListedEvent = v.InferOutput<typeof ListedEvent>;

export const EventListQuery = v.object({
  per: Per,
  cursor: Cursor,
  after: v.optional(v.pipe(v.string(), v.maxLength(100))),
  type: v.optional(v.picklist(eventTypes, "must be one type of event of a community, such as member.joined")),
});

export const EventPage = v.object({
  has_more: v.boolean(),
  next_cursor: v.nullable(v.string()),
  data: v.array(ListedEvent),
});
