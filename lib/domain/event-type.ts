/** The event types for destinations, by record. Events of brands are not sent, as brands belong to no community. */
const happenings = {
  access: ["granted", "revoked"],
  member: [
    "joined",
    "imported",
    "renewed",
    "trial_ending",
    "past_due",
    "unpaid",
    "recovered",
    "canceled",
    "tier_changed",
    "cancel_scheduled",
    "uncanceled",
    "change_scheduled",
    "change_canceled",
    "blocked",
    "unblocked",
    "erased",
    "updated",
  ],
  payment: ["succeeded", "failed"],
  refund: ["created", "failed", "updated"],
  dispute: ["opened", "closed", "updated"],
  community: ["created", "updated", "archived", "activated"],
  tier: ["created", "updated", "archived", "activated", "deleted"],
  benefit: ["created", "updated", "archived", "activated", "deleted"],
  event_destination: ["disabled"],
} as const;

/** All types of events for destinations. */
export const eventTypes: readonly string[] = Object.entries(happenings).flatMap(([kind, names]) =>
  names.map((name) => `${kind}.${name}`),
);

/** An entry in a destination's list of events: a type, all types of a record (`member.*`), or all types (`*`). */
export const eventPattern = new RegExp(
  `^(\\*|${Object.entries(happenings)
    .map(([kind, names]) => `${kind}\\.(\\*|${names.join("|")})`)
    .join("|")})$`,
);

/** Whether an event type matches any of the patterns. */
export const isAskedFor = (type: string, patterns: readonly string[]): boolean =>
  patterns.some(
    (pattern) =>
      pattern === "*" || pattern === type || (pattern.endsWith(".*") && type.startsWith(pattern.slice(0, -1))),
  );
