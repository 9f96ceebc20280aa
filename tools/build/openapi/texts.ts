/** Introduction of the OpenAPI document. */
export const introduction = `
The back end for paid communities: members, money, benefits and brands.

**Authentication.** Send a Cognito access token as \`Authorization: Bearer …\`. It is valid for one hour.

**Responses.** A single record is returned without an envelope. Lists are \`{total, has_more, data}\`. They are paged by \`page\`, or by
\`cursor\` if the response has a \`next_cursor\`. Times are ISO 8601 in UTC. Properties that end in \`_cents\` are whole US
cents, those in \`_dollars\` are US dollars. Changes to version 1 are additive only.

**Errors.** Errors are \`application/problem+json\` (RFC 9457). Handle them by \`code\`. The [problems page](/docs/problems)
explains each code. Errors from the gateway itself (bodies over 10 MB, headers over
10 KB, and throttling of all callers together) have only a \`message\`.

**Concurrency.** Records have an \`ETag\`. Send it as \`If-Match\` with PATCH or DELETE, and the request is rejected if
somebody else has changed the record. Send it as \`If-None-Match\` with GET, and the response is 304 if the record has
not changed.

**Retries.** Send an \`Idempotency-Key\` with every POST, and retry with the same key if there is no response. The request
takes effect only once.

**Rate limits.** Each caller can send a burst of 20 requests that move money or block members, then one every 3 seconds.
Other requests that call Stripe can come in a burst of 60, then one per second.
`.trim();
