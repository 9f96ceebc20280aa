import { Attempt, Outcome } from "../fields/delivery.ts";
import { describeFields } from "../values/documented.ts";
import { Delivery, DeliveryPage, DeliveryQuery } from "./delivery.ts";
import { cursorPageDocs, cursorQueryDocs } from "./page-docs.ts";

const outcomeDocs = {
  status_code: ["HTTP status code of the response. `null` if there was none.", 200],
  duration_ms: ["Duration of the attempt in milliseconds.", 184],
  error:
    "Why the attempt failed: `timeout` (no response within 15 seconds, or 5 for a ping), `connection` (no connection), `tls` (invalid certificate), `redirect`, `address_refused` (an address that is not public) or `status` (a status code other than 2xx). `null` if it succeeded.",
} as const;

describeFields(Outcome, outcomeDocs);

describeFields(Attempt, {
  at: ["Time of the attempt.", "2026-11-21T05:16:03.000Z"],
  ...outcomeDocs,
});

describeFields(Delivery, {
  id: ["Unique identifier of the delivery.", 7801],
  event_id: ["Identifier of the event, sent as `webhook-id` with every attempt.", "9c1f3f0e6c3b4f6a8d0f5d5c2a7b1e42-0"],
  event_type: ["Type of the event.", "access.granted"],
  status:
    "`pending` while another attempt is due, `delivered` after a successful attempt, `failed` if there will be no more attempts.",
  attempts: "The last 20 attempts, oldest first.",
  attempts_made: ["Number of attempts so far.", 1],
});

describeFields(DeliveryQuery, cursorQueryDocs);
describeFields(DeliveryPage, cursorPageDocs);
