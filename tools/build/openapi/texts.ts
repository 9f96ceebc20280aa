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
effect happens once. Each caller may make 20 requests at
once that move money or block people, and 60 others that ask Stripe. Then the limit is one every 3 s and one every second.
`.trim();
