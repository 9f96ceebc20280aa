import * as v from "valibot";
import { deliveryFields, type Outcome } from "../fields/delivery.ts";
import type { Failures } from "../fields/destination.ts";
import { shownEntries } from "../fields/field.ts";
import { Cursor, Per } from "./page.ts";

/** Number of days for which a delivery is kept. */
export const keptDays = 30;

export const Delivery = v.object(shownEntries(deliveryFields, "api"));
export type Delivery = v.InferOutput<typeof Delivery>;

export const DeliveryQuery = v.object({ per: Per, cursor: Cursor });

export const DeliveryPage = v.object({
  has_more: v.boolean(),
  next_cursor: v.nullable(v.string()),
  data: v.array(Delivery),
});

const seconds = 1000;
const minutes = 60 * seconds;
const hours = 60 * minutes;

/** Delays between the end of one attempt and the next, in milliseconds (`docs/api.md`, section 10). */
const delays = [
  5 * seconds,
  5 * minutes,
  30 * minutes,
  2 * hours,
  5 * hours,
  10 * hours,
  14 * hours,
  20 * hours,
  24 * hours,
] as const;

/** Number of attempts that a delivery stores: the latest ones. */
export const keptAttempts = 20;

/** Maximum number of attempts of a delivery, not counting requested ones. */
export const maxAttempts = delays.length + 1;

/**
 * Maximum number of attempts to deliver the last event, which tells a receiver that its destination was disabled. They
 * take 40 minutes.
 */
export const maxLastAttempts = 4;

/**
 * Time of the next attempt of a pending delivery. Varies randomly by up to 10 %, so that deliveries that failed
 * together are not retried together. Undefined if no attempt follows.
 */
export function nextAttemptOf(
  { status, attempts, attempts_made }: Pick<Delivery, "status" | "attempts" | "attempts_made">,
  random: () => number,
): Date | undefined {
  const [last, delay] = [attempts.at(-1), delays[attempts_made - 1]];
  if (status !== "pending" || last === undefined || delay === undefined) return undefined;
  const endedAt = Date.parse(last.at) + last.duration_ms;
  return new Date(endedAt + delay * (0.9 + 0.2 * random()));
}

/** Time without a success after which a failed attempt disables the destination, in milliseconds. */
const patience = 5 * 24 * hours;
/** Number of failed attempts, of at least two deliveries, that are also required to disable a destination. */
const provenBy = 3;

/** Counts a failed attempt. The number stops rising at `provenBy`. */
export function countFailure(counted: Failures | undefined, deliveryId: number): Failures {
  const { attempts, delivery_id, of_several } = counted ?? { attempts: 0, delivery_id: deliveryId, of_several: false };
  return {
    attempts: Math.min(provenBy, attempts + 1),
    delivery_id,
    of_several: of_several || deliveryId !== delivery_id,
  };
}

/** The reason why a failed attempt disables its destination. Undefined if it does not. */
export function disabledBy(
  { status_code }: Outcome,
  { attempts, of_several }: Failures,
  failingSince: string,
  now: Date,
): "gone" | "failing" | undefined {
  if (status_code === 410) return "gone";
  const isProven = attempts >= provenBy && of_several;
  return isProven && now.getTime() - Date.parse(failingSince) > patience ? "failing" : undefined;
}
