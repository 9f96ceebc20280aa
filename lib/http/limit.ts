import type { Caller } from "../auth/caller.ts";
import { env } from "../env.ts";
import { logError } from "../log.ts";
import { Problem } from "../problem.ts";
import type { Writer } from "../store/table.ts";
import { count } from "../store/usage.ts";

/** How often a caller may use the routes that are `limited`, in each minute of the clock. */
const maxPerMinute = 20;

/** How long a count may take: it runs beside the guard, and what cannot be counted is let through. */
const timeoutMs = 500;

/** @throws Problem `too_many_requests` */
export async function limit(table: Writer, { sub }: Caller, now: Date): Promise<void> {
  if (env("THROTTLE") === "off") return;
  const seconds = String(60 - now.getUTCSeconds());
  const otherwise = new Problem("too_many_requests", {
    detail: `At most ${maxPerMinute} such requests a minute: try again in ${seconds} seconds`,
    headers: { "retry-after": seconds },
  });
  const inTime = { ...table, signal: table.runtime.deadline(timeoutMs) };
  await count(inTime, sub, { most: maxPerMinute, now, otherwise }).catch((error: Error) => {
    if (error === otherwise) throw error;
    logError(error, { message: "A request could not be counted" });
  });
}
