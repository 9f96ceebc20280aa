import { describeFields } from "../values/documented.ts";
import { EventListQuery, EventPage, ListedEvent } from "./event-list.ts";
import { cursorPageDocs, cursorQueryDocs } from "./page-docs.ts";

describeFields(ListedEvent, {
  id: ["Unique identifier of the event, the same in every delivery.", "9c1f3f0e6c3b4f6a8d0f5d5c2a7b1e42-0"],
  type: ["Type of the event.", "benefit.deleted"],
  timestamp: ["Time of the change.", "2026-11-21T05:16:02.000Z"],
  sequence: ["Number that increases with each event of the same `subject`. There may be gaps.", 70000],
  subject: ["Path of the record. Payments, refunds and disputes belong to their member.", "communities/1/members/6312"],
  community_id: ["Identifier of the community.", 1],
  data: "State after the change, as in the webhook of this type.",
  previous: "Former values of the fields that changed, as in the webhook of this type.",
  changed: "In `member.updated` only: names of the fields that changed.",
});

describeFields(EventListQuery, {
  ...cursorQueryDocs,
  after: [
    "Identifier of an event: only events that were stored after it, oldest first.",
    "9c1f3f0e6c3b4f6a8d0f5d5c2a7b1e42-0",
  ],
  type: "Only events of this type. A page may have fewer events, or none, although `has_more` is true.",
});

describeFields(EventPage, cursorPageDocs);
