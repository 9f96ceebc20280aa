import type Stripe from "stripe";
import * as v from "valibot";
import type { Account } from "./account.ts";
import { eventLifetime } from "./events.ts";
import { invalid } from "./failure.ts";
import { page, paging } from "./lists.ts";
import { flag, text } from "./parameters.ts";
import type { FakeEvent } from "./state.ts";

export const EventList = v.strictObject({
  ...paging,
  type: v.optional(text),
  types: v.optional(v.array(text)),
  /** `false` lists events that have not arrived at every endpoint. */
  delivery_success: v.optional(flag),
});

/** The events of the last 30 days, except those that a fault does not list yet. */
export function list(account: Account, params: v.InferOutput<typeof EventList>): Stripe.ApiList<FakeEvent> {
  const { type, types, delivery_success: hasArrived, ...rest } = params;
  if (type !== undefined && types !== undefined)
    throw invalid("You may only specify one of these parameters: type, types.");
  if (types && types.length > 20) throw invalid("You may specify at most 20 `types`.", { param: "types" });
  const wanted = types ?? (type === undefined ? ["*"] : [type]);
  const [oldest, newest] = [account.now() - eventLifetime, account.now() - account.faults.unlisted_events_s];
  return page(account, {
    kind: "event",
    url: "/v1/events",
    params: rest,
    keep: (event) =>
      event.created >= oldest &&
      event.created <= newest &&
      wanted.some((pattern) => isOf(event.type, pattern)) &&
      (hasArrived === undefined || hasArrived === (event.pending_webhooks === 0)),
  });
}

/** A pattern is a type, or a prefix with an asterisk: `charge.*`. */
const isOf = (type: string, pattern: string) =>
  pattern.endsWith("*") ? type.startsWith(pattern.slice(0, -1)) : type === pattern;
