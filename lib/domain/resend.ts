import * as v from "valibot";
import { DeliveryStatus } from "../fields/delivery.ts";
import { type Issue, validationFailed } from "../problem.ts";
import { Id, Instant, Timestamp } from "../values/scalars.ts";
import { keptDays } from "./delivery.ts";

/** Maximum number of deliveries in a request. */
const maxDeliveries = 100;

/** Either `delivery_ids`, or `since` with optional `until` and `status` (checked by {@link selectionOf}). */
export const ResendRequest = v.strictObject({
  delivery_ids: v.optional(v.pipe(v.array(Id), v.minLength(1), v.maxLength(maxDeliveries))),
  since: v.optional(Instant),
  until: v.optional(Instant),
  status: v.optional(DeliveryStatus),
});
export type ResendRequest = v.InferOutput<typeof ResendRequest>;

export const Resend = v.object({
  requested_at: Timestamp,
  delivery_ids: v.nullable(v.array(Id)),
  since: v.nullable(Timestamp),
  until: v.nullable(Timestamp),
  status: v.nullable(DeliveryStatus),
});

/** Deliveries of events in a time span, optionally only those with a status. */
export type Span = {
  readonly since: string;
  /** Exclusive end of the time span. */
  readonly until: string;
  readonly status: v.InferOutput<typeof DeliveryStatus> | null;
};

/** The deliveries to resend. */
export type Selection = { readonly delivery_ids: readonly number[] } | Span;

/**
 * The selection of a request. Without `until`, a time span ends at the time of the request.
 *
 * @throws Problem `validation_failed` unless it is either a list or a time span of the last 30 days
 */
export function selectionOf(request: ResendRequest, requestedAt: Date): Selection {
  const { delivery_ids, since, until, status } = request;
  const errors = delivery_ids ? conflictsOf(request) : boundsOf(request, requestedAt);
  if (errors.length > 0) throw validationFailed(errors);
  if (delivery_ids) return { delivery_ids };
  return { since: since ?? "", until: until ?? requestedAt.toISOString(), status: status ?? null };
}

function conflictsOf(request: ResendRequest): Issue[] {
  const names = (["since", "until", "status"] as const).filter((name) => request[name] !== undefined);
  return names.map((name) => ({
    pointer: `/${name}`,
    code: "conflicts",
    message: "cannot be combined with delivery_ids",
  }));
}

function boundsOf({ since, until }: ResendRequest, now: Date): Issue[] {
  const errors: Issue[] = [];
  const add = (pointer: string, code: Issue["code"], message: string) => errors.push({ pointer, code, message });
  const isFuture = (time: string) => Date.parse(time) > now.getTime();
  if (since === undefined) add("/since", "required", "is required without delivery_ids");
  else if (isFuture(since)) add("/since", "in_the_future", "must not be in the future");
  else if (now.getTime() - Date.parse(since) > keptDays * 24 * 60 * 60 * 1000)
    add("/since", "too_small", `must be in the last ${keptDays} days: older deliveries are not kept`);
  if (until !== undefined && isFuture(until)) add("/until", "in_the_future", "must not be in the future");
  else if (since !== undefined && until !== undefined && until <= since)
    add("/until", "too_small", "must be later than since");
  return errors;
}
