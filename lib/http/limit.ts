import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { AnyCaller } from "../auth/caller.ts";
import type { Limit, Route } from "../contract/route.ts";
import { env } from "../env.ts";
import { logError } from "../log.ts";
import { Problem } from "../problem.ts";
import type { Writer } from "../store/table.ts";
import { type Bucket, take } from "../store/usage.ts";

/** The buckets of each caller (`docs/api.md`, section 1, "Rate limits"). */
const money: Bucket = { name: "MONEY", burst: 20, everyMs: 3000 };
const processor: Bucket = { name: "PROCESSOR", burst: 60, everyMs: 1000 };
const deliveries: Bucket = { name: "DELIVERIES", burst: 10, everyMs: 3000 };
const keys: Bucket = { name: "KEYS", burst: 20, everyMs: 60_000 };

const buckets: Readonly<Record<Limit, Bucket>> = { money, refunds: money, processor, deliveries, keys };

/** Time limit for counting a request, in milliseconds. Counting runs in parallel with the guard. */
const timeoutMs = 500;

/**
 * Counts a request against the rate limit of its caller. If counting fails, the request is allowed, unless it is a
 * refund.
 *
 * @throws Problem `too_many_requests`, and `unavailable` for a refund that cannot be counted
 */
export async function limit(
  table: Writer,
  { sub }: AnyCaller,
  { route, event, now }: { readonly route: Route; readonly event: APIGatewayProxyEventV2; readonly now: Date },
): Promise<void> {
  const { limited, limitedFor } = route;
  if (!limited || env("THROTTLE") === "off" || (limitedFor && !mayName(event, limitedFor))) return;
  const bucket = buckets[limited];
  const seconds = String(Math.ceil(bucket.everyMs / 1000));
  const otherwise = new Problem("too_many_requests", {
    detail: `At most ${bucket.burst} such requests at once, and one more every ${seconds} s`,
    headers: { "retry-after": seconds },
  });
  const inTime = { ...table, signal: table.runtime.deadline(timeoutMs) };
  await take(inTime, sub, { bucket, now, otherwise }).catch((error: Error) => {
    if (error === otherwise) throw error;
    if (limited === "refunds") throw new Problem("unavailable", { headers: { "retry-after": "1" }, cause: error });
    logError(error, { message: "A request could not be counted" });
  });
}

/** Whether the body has one of the fields. True for a body that cannot be parsed. */
function mayName({ body, isBase64Encoded }: APIGatewayProxyEventV2, limitedFor: NonNullable<Route["limitedFor"]>) {
  try {
    const text = isBase64Encoded ? Buffer.from(body ?? "", "base64").toString() : body || "{}";
    const given = (JSON.parse(text) as Record<string, Record<string, unknown> | null> | null)?.[limitedFor.in];
    return limitedFor.fields.some((name) => given?.[name] !== undefined);
  } catch {
    return true;
  }
}
