/**
 * The CORS settings of the gateway. Functions set no CORS headers (`docs/api.md`, section 1).
 */
export const cors = {
  allowMethods: ["GET", "POST", "PATCH", "DELETE"],
  allowHeaders: ["authorization", "content-type", "idempotency-key", "if-match", "if-none-match"],
  exposeHeaders: [
    "etag",
    "location",
    "link",
    "retry-after",
    "idempotency-replayed",
    "x-request-id",
    "x-total-count",
    "www-authenticate",
    "x-amzn-remapped-www-authenticate",
  ],
} as const;
