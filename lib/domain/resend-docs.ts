import { describeFields } from "../values/documented.ts";
import { Resend, ResendRequest } from "./resend.ts";

const selectionDocs = {
  delivery_ids: ["Deliveries to resend, at most 100.", [7801]],
  since: [
    "Start of the time span, compared with the `timestamp` of the events. At most 30 days ago.",
    "2026-11-21T00:00:00.000Z",
  ],
  until: ["End of the time span, not included. By default, the time of the request.", "2026-11-21T06:00:00.000Z"],
  status: ["Only deliveries of the time span with this status. By default, all.", "failed"],
} as const;

describeFields(ResendRequest, selectionDocs);

describeFields(Resend, {
  requested_at: [
    "Time of the request. A delivery is resent when it has an attempt after this time.",
    "2026-11-21T06:00:00.000Z",
  ],
  delivery_ids: ["Deliveries that are resent. `null` for a time span.", null],
  since: ["Start of the time span. `null` for a list of deliveries.", "2026-11-21T00:00:00.000Z"],
  until: ["End of the time span, not included. `null` for a list of deliveries.", "2026-11-21T06:00:00.000Z"],
  status: ["Status of the deliveries of the time span that are resent. `null` for all.", null],
});
