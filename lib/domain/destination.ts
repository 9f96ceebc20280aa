import * as v from "valibot";
import { Problem } from "../problem.ts";
import { documented } from "../values/documented.ts";
import { Id, oneOf, rule, Timestamp } from "../values/scalars.ts";
import { shownText } from "../values/shown.ts";
import { eventPattern } from "./event-type.ts";
import { PageQuery, pageDocs, pageQueryDocs, Total } from "./page.ts";
import { timeDocs } from "./record.ts";

const limits = { destinations: 10, events: 50, url: 2048 };

/**
 * Whether events can be sent to a URL (`docs/api.md`, section 10): https on 443 or 8443, without credentials and
 * fragment. Which address its name resolves to is checked when a connection is made.
 */
function isDestinationUrl(given: string): boolean {
  if (!URL.canParse(given)) return false;
  const { protocol, port, username, password, href } = new URL(given);
  if (username !== "" || password !== "" || href.includes("#")) return false;
  if (isLoopbackUrl(given)) return true;
  return protocol === "https:" && (port === "" || port === "8443");
}

/** Whether a URL names a receiver on this machine, by plain HTTP. */
export function isLoopbackUrl(given: string): boolean {
  const { protocol, hostname } = new URL(given);
  return protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
}

const DestinationUrl = v.pipe(
  v.string(),
  rule("too_long", (url: string) => url.length <= limits.url, `must have at most ${limits.url} characters`),
  rule(
    "invalid_format",
    isDestinationUrl,
    "must be an https URL on port 443 or 8443, without credentials or a fragment",
  ),
  v.metadata({ format: "uri", maxLength: limits.url }),
  v.transform((url) => new URL(url).href),
);

const Events = v.pipe(
  v.array(
    v.pipe(
      v.string(),
      rule(
        "not_one_of",
        (pattern: string) => eventPattern.test(pattern),
        "must be a type of event, all types of a kind such as member.*, or *",
      ),
      v.metadata({ pattern: eventPattern.source }),
    ),
  ),
  v.minLength(1),
  v.maxLength(limits.events),
  v.transform((events) => [...new Set(events)]),
);
const Description = shownText(0, 200);

const fieldDocs = {
  url: [
    "URL that events are sent to: https on port 443 or 8443, without credentials or a fragment.",
    "https://example.com/odis-events",
  ],
  events: ["Types of events to send: a type, all types of a kind (`member.*`), or everything (`*`).", ["access.*"]],
  description: ["What the destination is for. May be empty.", "Opens the door of the Discord server"],
} as const;

/** Whether events are sent, and why not: nobody answers any more, the community has another owner, or the table was restored. */
const Status = oneOf(["enabled", "disabled"]);
const DisabledReason = v.nullable(v.picklist(["gone", "failing", "owner_changed", "restored"]));
export type DisabledReason = NonNullable<v.InferOutput<typeof DisabledReason>>;

export const Destination = documented(
  v.object({
    id: Id,
    url: v.string(),
    events: v.array(v.string()),
    description: v.string(),
    status: Status,
    disabled_reason: DisabledReason,
    secret_hint: v.string(),
    last_success_at: v.nullable(Timestamp),
    failing_since: v.nullable(Timestamp),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
  {
    id: ["Unique identifier of the destination.", 61],
    ...fieldDocs,
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
  },
);
export type Destination = v.InferOutput<typeof Destination>;

const secretDoc = [
  "Secret that deliveries are signed with. It is shown only in this response and in replays of it.",
  "whsec_…",
] as const;

export const DestinationWithSecret = documented(v.object({ ...Destination.entries, secret: v.string() }), {
  id: ["Unique identifier of the destination.", 61],
  ...fieldDocs,
  status: "Whether events are sent.",
  disabled_reason: "`null`: the destination is enabled.",
  secret_hint: ["The last four characters of the secret.", "b7oD"],
  last_success_at: ["Time of the last successful attempt. `null` if there was none.", null],
  failing_since: [
    "Time of the first failed attempt since the last successful one. `null` if none has failed since.",
    null,
  ],
  ...timeDocs,
  secret: secretDoc,
});

export const DestinationPage = documented(
  v.object({ total: Total, has_more: v.boolean(), page: v.number(), per: v.number(), data: v.array(Destination) }),
  pageDocs,
);

export const DestinationListQuery = documented(v.object({ ...PageQuery.entries }), pageQueryDocs);

export const DestinationCreate = documented(
  v.strictObject({
    event_destination: documented(
      v.strictObject({ url: DestinationUrl, events: Events, description: v.optional(Description, "") }),
      fieldDocs,
    ),
  }),
  { event_destination: "The new destination." },
);

export const DestinationUpdate = documented(
  v.strictObject({
    event_destination: documented(
      v.strictObject({
        url: v.optional(DestinationUrl),
        events: v.optional(Events),
        description: v.optional(Description),
        status: v.optional(Status),
      }),
      {
        ...fieldDocs,
        status: "Enables or disables the destination. Events that occur while it is disabled are not sent later.",
      },
    ),
  }),
  { event_destination: "The fields to change. Omitted fields are left unchanged." },
);
export type DestinationUpdate = v.InferOutput<typeof DestinationUpdate>;

/** @throws Problem `limit_reached` where a community has its ten */
export function assertRoom(destinations: readonly unknown[]): void {
  if (destinations.length >= limits.destinations)
    throw new Problem("limit_reached", { detail: `A community has at most ${limits.destinations} event destinations` });
}
