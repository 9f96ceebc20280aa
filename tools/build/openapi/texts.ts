/** What the document says at its top. */
export const introduction = `
The back-end of paid communities: members, money, benefits and brands.

**Tokens.** Send the access token that signing in gave you: \`Authorization: Bearer …\`. It lives for an hour.

**Answers.** One record is the record itself. Lists are \`{total, has_more, data}\`, walked by \`page\`, or by \`cursor\`
where the answer holds a \`next_cursor\`. Times are ISO 8601 in UTC. Properties that end in \`_cents\` are whole US cents,
those in \`_dollars\` are US dollars. Version 1 changes only by addition.

**Errors.** \`application/problem+json\` (RFC 9457): act on \`code\`. [Every problem is explained](/docs/problems): what
happened, and what to do. The gateway's own answers (more than 10 MB, more than 10 KB of headers, too many requests of
all callers together) are \`{"message"}\`.

**Concurrency.** Records carry an \`ETag\`. Send it as \`If-Match\` with a PATCH or DELETE and nobody's change is lost;
as \`If-None-Match\` with a GET, and what you have already is not sent again.

**Repeating.** Send an \`Idempotency-Key\` with every POST, and repeat it with the same key when no answer came: the
effect happens once. 20 requests a minute that move money or block people are let through for each caller.
`.trim();

export const tagTexts: Readonly<Record<string, string>> = {
  discovery: "Find communities.",
  members: "The members of a community, for its owner and for admins: their data, subscriptions, refunds and blocks.",
  membership: "What an application asks to open or close its gates.",
  communities: "Communities and how they do.",
  tiers: "What people can subscribe to. Reading is for everybody, writing for the owner and for admins.",
  checkout: "Stripe's hosted pages, where people subscribe and change their card.",
  webhooks: "What Stripe calls.",
  brands: "The brands of producers. Reading is for everybody, writing for editors and admins.",
  benefits: "What members get, for the owner of the community and for admins.",
  docs: "This reference.",
  system: "The service itself.",
};

/** What an operation's summary does not say. */
export const operationTexts: Readonly<Record<string, string>> = {
  MembersList:
    "With `Accept: text/csv` the same page comes as CSV, without the metadata; `Link` leads to the next one. " +
    "With several filters a page may hold fewer than `per` records, even none, with `has_more` true.",
  MembersCancelSubscription:
    "Never refunds anything. A second cancellation at the period's end changes nothing; one at once may follow it.",
  MembersIssueRefund:
    "A refund touches neither the subscription nor access. Without an `Idempotency-Key` each request is a refund of its own.",
  MembersRefundCharge:
    "A refund touches neither the subscription nor access. Without an `Idempotency-Key` each request is a refund of its own.",
  MembersBlock: "A second block changes nothing. Open checkouts are expired, and a new one is refused.",
  MembersUnblock: "A second time changes nothing.",
  MembersSubscriptionDetails: "Asks Stripe at this moment.",
  TiersRemove: "Once a checkout was opened on it, or a member or benefit refers to it: archive it instead.",
  CheckoutCreateSession: "Expires the person's earlier open sessions in this community.",
  CommunitiesStats: "Up to a minute old.",
  WebhooksStripe: "Signed by `Stripe-Signature`. Events of anybody else's customers are taken and left alone.",
  BenefitsArchive: "A second time changes nothing.",
  BenefitsActivate: "A second time changes nothing.",
};
