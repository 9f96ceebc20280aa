/** The kinds of events that destinations can be sent, with what happens: not those of brands, which are of no community. */
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
    "blocked",
    "unblocked",
    "erased",
    "updated",
  ],
  payment: ["succeeded", "failed"],
  refund: ["created", "failed"],
  dispute: ["opened", "closed"],
  community: ["created", "updated", "archived", "activated"],
  tier: ["created", "updated", "archived", "activated", "deleted"],
  benefit: ["created", "updated", "archived", "activated", "deleted"],
  event_destination: ["disabled"],
} as const;

/** What a destination can ask for: a type, all types of a kind (`member.*`), or everything (`*`). */
export const eventPattern = new RegExp(
  `^(\\*|${Object.entries(happenings)
    .map(([kind, names]) => `${kind}\\.(\\*|${names.join("|")})`)
    .join("|")})$`,
);

/** Whether an event of this type is among those that patterns ask for. */
export const isAskedFor = (type: string, patterns: readonly string[]): boolean =>
  patterns.some(
    (pattern) =>
      pattern === "*" || pattern === type || (pattern.endsWith(".*") && type.startsWith(pattern.slice(0, -1))),
  );
