import type { destinationFields } from "../fields/destination.ts";
import type { SetBy, ShownIn } from "../fields/field.ts";
import { describeFields, type FieldDoc } from "../values/documented.ts";
import {
  Destination,
  DestinationCreate,
  DestinationListQuery,
  DestinationPage,
  DestinationUpdate,
  DestinationWithSecret,
  SecretRotation,
} from "./destination.ts";
import { pageDocs, pageQueryDocs } from "./page-docs.ts";
import { timeDocs } from "./record-docs.ts";

type Described = ShownIn<typeof destinationFields, "api">;

/** What the documents say of the fields of an event destination. */
export const destinationDocs = {
  id: ["Unique identifier of the destination.", 61],
  url: [
    "URL that events are sent to: https on port 443 or 8443 of a public host, without credentials or a fragment.",
    "https://example.com/odis-events",
  ],
  events: ["Types of events to send: a type, all types of a kind (`member.*`), or everything (`*`).", ["access.*"]],
  description: ["What the destination is for. May be empty.", "Opens the door of the Discord server"],
  status: "Whether events are sent. While a destination is disabled, events are not stored for it.",
  disabled_reason:
    "Why it was disabled: `gone` (it returned 410), `failing` (attempts have failed for five days), `owner_changed` (the community has a new owner) or `restored` (the data was restored from a backup). `null` if it is enabled, or if a request disabled it.",
  secret_hint: ["The last four characters of the secret.", "x9Qk"],
  last_success_at: ["Time of the last successful attempt. `null` if there was none.", "2026-11-03T09:30:12.000Z"],
  failing_since: [
    "Time of the first failed attempt since the last successful one. `null` if none has failed since.",
    null,
  ],
  ...timeDocs,
} as const satisfies Record<Described | SetBy<typeof destinationFields, "post">, FieldDoc>;

/** The same for a new destination or secret. */
export const destinationWithSecretDocs = {
  ...destinationDocs,
  status: "Whether events are sent.",
  disabled_reason: "`null`: the destination is enabled.",
  secret_hint: ["The last four characters of the secret.", "b7oD"],
  last_success_at: ["Time of the last successful attempt. `null` if there was none.", null],
  secret: [
    "Secret that deliveries are signed with. It is shown only in this response and in replays of it.",
    "whsec_…",
  ],
} as const satisfies Record<Described | "secret", FieldDoc>;

/** The same for a PATCH. */
export const destinationUpdateDocs = {
  ...destinationDocs,
  status: "Enables or disables the destination. Events that occur while it is disabled are not sent later.",
} as const satisfies Record<SetBy<typeof destinationFields, "patch">, FieldDoc>;

describeFields(Destination, destinationDocs);
describeFields(DestinationWithSecret, destinationWithSecretDocs);
describeFields(DestinationPage, pageDocs);
describeFields(DestinationListQuery, pageQueryDocs);
describeFields(DestinationCreate, { event_destination: "The new destination." });
describeFields(DestinationCreate.entries.event_destination, destinationDocs);
describeFields(DestinationUpdate, { event_destination: "The fields to change. Omitted fields are left unchanged." });
describeFields(DestinationUpdate.entries.event_destination, destinationUpdateDocs);
describeFields(SecretRotation, {
  overlap_hours: [
    "For how many hours deliveries are signed with the old secret too. 0 if the old secret has leaked. Default: 24.",
    24,
  ],
});
