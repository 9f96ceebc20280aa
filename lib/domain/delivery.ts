import * as v from "valibot";
import { deliveryFields, type Outcome } from "../fields/delivery.ts";
import type { Failures } from "../fields/destination.ts";
import { shownEntries } from "../fields/field.ts";
import { Cursor, Per } from "./page.ts";

/** How many days a delivery is kept. */
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

/** How long after an attempt the next one follows, in milliseconds (`docs/api.md`, section 10). */
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

/** How many attempts a delivery keeps: the last ones. */
export const keptAttempts = 20;

/** How many attempts there are at most, but for those on request. */
export const maxAttempts = delays.length + 1;

/** How many attempts there are to tell a destination that it is disabled: within 40 minutes. */
export const maxLastAttempts = 4;

/**
 * When the next attempt of a pending delivery follows the last one, up to a tenth earlier or later, so that what failed
 * together does not return together. Undefined where none follows.
 */
export function nextAttemptOf({ status, attempts, attempts_made }: Delivery, random: () => number): Date | undefined {
  const [last, delay] = [attempts.at(-1), delays[attempts_made - 1]];
  if (status !== "pending" || last === undefined || delay === undefined) return undefined;
  return new Date(Date.parse(last.at) + delay * (0.9 + 0.2 * random()));
}

/** How long nothing may succeed until a failed attempt disables a destination, in milliseconds. */
const patience = 5 * 24 * hours;
/** How many attempts must have failed by then, of at least two deliveries. */
const provenBy = 3;

/** Counts another failed attempt. Once the count proves something, it stays. */
export function countFailure(counted: Failures | undefined, deliveryId: number): Failures {
  const { attempts, delivery_id, of_several } = counted ?? { attempts: 0, delivery_id: deliveryId, of_several: false };
  return {
    attempts: Math.min(provenBy, attempts + 1),
    delivery_id,
    of_several: of_several || deliveryId !== delivery_id,
  };
}

/** Why a failed attempt disables a destination; undefined if it does not. */
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
