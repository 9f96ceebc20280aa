import * as v from "valibot";
import { type Issue, validationFailed } from "../problem.ts";
import { documented } from "../values/documented.ts";
import { Id, Instant, Timestamp } from "../values/scalars.ts";
import { DeliveryStatus, keptDays } from "./delivery.ts";

/** How many deliveries a request may list. */
const maxDeliveries = 100;

const selectionDocs = {
  delivery_ids: ["Deliveries to resend, at most 100.", [7801]],
  since: [
    "Start of the time span, compared with the `timestamp` of the events. At most 30 days ago.",
    "2026-11-21T00:00:00.000Z",
  ],
  until: ["End of the time span, not included. By default, the time of the request.", "2026-11-21T06:00:00.000Z"],
  status: ["Only deliveries of the time span with this status. By default, all.", "failed"],
} as const;

/** Either `delivery_ids`, or `since` with `until` and `status`: see {@link selectionOf}. */
export const ResendRequest = documented(
  v.strictObject({
    delivery_ids: v.optional(v.pipe(v.array(Id), v.minLength(1), v.maxLength(maxDeliveries))),
    since: v.optional(Instant),
    until: v.optional(Instant),
    status: v.optional(DeliveryStatus),
  }),
  selectionDocs,
);
export type ResendRequest = v.InferOutput<typeof ResendRequest>;

export const Resend = documented(
  v.object({
    requested_at: Timestamp,
    delivery_ids: v.nullable(v.array(Id)),
    since: v.nullable(Timestamp),
    until: v.nullable(Timestamp),
    status: v.nullable(DeliveryStatus),
  }),
  {
    requested_at: [
      "Time of the request. A delivery is resent when it has an attempt after this time.",
      "2026-11-21T06:00:00.000Z",
    ],
    delivery_ids: ["Deliveries that are resent. `null` for a time span.", null],
    since: ["Start of the time span. `null` for a list of deliveries.", "2026-11-21T00:00:00.000Z"],
    until: ["End of the time span, not included. `null` for a list of deliveries.", "2026-11-21T06:00:00.000Z"],
    status: ["Status of the deliveries of the time span that are resent. `null` for all.", null],
  },
);

/** Deliveries to events of a time span, perhaps only those with a status. */
export type Span = {
  readonly since: string;
  /** Not included. */
  readonly until: string;
  readonly status: v.InferOutput<typeof DeliveryStatus> | null;
};

/** What is resent. */
export type Selection = { readonly delivery_ids: readonly number[] } | Span;

/**
 * Reads what a request selects. A time span ends at the time of the request unless the request says otherwise.
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
  const given = (["since", "until", "status"] as const).filter((name) => request[name] !== undefined);
  return given.map((name) => ({
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
