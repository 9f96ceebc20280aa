import * as v from "valibot";
import { destinationFields } from "../fields/destination.ts";
import { type EntriesSetBy, shownEntries } from "../fields/field.ts";
import { Problem } from "../problem.ts";
import { integer, rule } from "../values/scalars.ts";
import { shownText } from "../values/shown.ts";
import { eventPattern } from "./event-type.ts";
import { PageQuery, Total } from "./page.ts";
import { isPublicUrl } from "./public-url.ts";

const limits = { destinations: 10, events: 50, url: 2048 };

/** An address of the only IPv6 block that is routed in the public internet, 2000::/3 (RFC 4291, section 2.4). */
const publicIpv6 = /^\[[23][\da-f]{3}:/;

/**
 * Whether events can be sent to a URL (`docs/api.md`, section 10): https on port 443 or 8443, without credentials and
 * fragment, and not to a private address. The address that a host name resolves to is checked when a connection is opened.
 */
function isDestinationUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, port, username, password, href } = new URL(url);
  if (username !== "" || password !== "" || href.includes("#")) return false;
  if (isLoopbackUrl(url)) return true;
  if (!isPublicUrl(url) && !publicIpv6.test(hostname)) return false;
  return protocol === "https:" && (port === "" || port === "8443");
}

/** Whether a URL is a plain HTTP URL of this machine. */
export function isLoopbackUrl(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "http:" && ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
}

const tooLong = `must have at most ${limits.url} characters`;

const DestinationUrl = v.pipe(
  v.string(),
  rule("too_long", (url: string) => url.length <= limits.url, tooLong),
  rule(
    "invalid_format",
    isDestinationUrl,
    "must be an https URL on port 443 or 8443 of a public host, without credentials or a fragment",
  ),
  v.metadata({ format: "uri", maxLength: limits.url }),
  v.transform((url) => new URL(url).href),
  // Characters are encoded.
  rule("too_long", (url: string) => url.length <= limits.url, tooLong),
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

export const Destination = v.object(shownEntries(destinationFields, "api"));

export const DestinationWithSecret = v.object({ ...Destination.entries, secret: v.string() });

export const DestinationPage = v.object({
  total: Total,
  has_more: v.boolean(),
  page: v.number(),
  per: v.number(),
  data: v.array(Destination),
});

export const DestinationListQuery = v.object({ ...PageQuery.entries });

export const DestinationCreate = v.strictObject({
  event_destination: v.strictObject({
    url: DestinationUrl,
    events: Events,
    description: v.optional(Description, ""),
  } satisfies EntriesSetBy<typeof destinationFields, "post">),
});

export const DestinationUpdate = v.strictObject({
  event_destination: v.strictObject({
    url: v.optional(DestinationUrl),
    events: v.optional(Events),
    description: v.optional(Description),
    status: v.optional(Destination.entries.status),
  } satisfies EntriesSetBy<typeof destinationFields, "patch">),
});
export type DestinationUpdate = v.InferOutput<typeof DestinationUpdate>;

export const SecretRotation = v.strictObject({ overlap_hours: v.optional(integer(0, 24), 24) });

/** @throws Problem `limit_reached` if the community has ten event destinations */
export function assertRoom(destinations: readonly unknown[]): void {
  if (destinations.length >= limits.destinations)
    throw new Problem("limit_reached", { detail: `A community has at most ${limits.destinations} event destinations` });
}
