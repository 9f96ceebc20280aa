/** Introduction of the OpenAPI document. */
export const introduction = `
The back end for paid communities: members, money, benefits and brands.

**Authentication.** Send a Cognito access token as \`Authorization: Bearer …\`. It is valid for one hour. The security scheme
\`bearer\` describes how to get one. A server that acts for a community sends an API key instead: see the scheme \`apiKey\`.

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

/** How to get an access token. The description of the security scheme. */
export const signIn = `
Access token of a Cognito user pool, a JWT that is valid for one hour. The API does not accept ID tokens. The groups \`admin\`
and \`editor\` give access to more routes. There is no hosted sign-in page: apps call the user pool's API themselves.

1. **Settings.** \`GET /.well-known/odis.json\` returns \`user_pool_id\`, \`client_id\`, and the URL of the user pool's API,
\`sign_in_url\`. The client has no secret.
2. **Sign-up.** Call \`SignUp\` with an email address as \`Username\`, a password, and the attributes \`email\`,
\`given_name\` and \`family_name\`. Then call \`ConfirmSignUp\` with the code from the email. The local stack sends no email,
and every code is \`000000\`.
3. **Sign-in.** Call \`InitiateAuth\` with \`USER_SRP_AUTH\`, then \`RespondToAuthChallenge\`, until the response has an
\`AuthenticationResult\`. Use a library for this, because SRP does not send the password: \`createSignIn\` of
\`@odis/client\`, AWS Amplify or \`amazon-cognito-identity-js\`.
4. **Refresh.** Call \`InitiateAuth\` with \`REFRESH_TOKEN_AUTH\` when the API returns 401 \`expired_token\`. The refresh
token is valid for 30 days. A request that returns 401 \`insufficient_user_authentication\` requires a new sign-in.

On the local stack, \`npm run token -- --user 5\` prints a token of a user, and \`tokens\` in \`.odis/local.json\` has those of
the demo's users.
`.trim();

/** What API keys are for. The description of the security scheme. */
export const apiKeys = `
An API key of a community, for servers: \`POST /odis/v1/communities/{community_id}/api_keys\` creates one. It works on the routes
of its community that name this scheme, if its role is among those of the route. On other routes, public ones included, the
response is 403. A key begins with \`odis_\` and expires after a year at most.
`.trim();
