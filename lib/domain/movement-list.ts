import * as v from "valibot";
import { shownEntries, storedEntries } from "../fields/field.ts";
import { accessChanges, movementFields, movementKinds } from "../fields/movement.ts";
import { oneOf } from "../values/scalars.ts";
import { Cursor, Day, daysInOrder, Per } from "./page.ts";

/**
 * A change of a member's access, monthly amount or both, at the time when Odis recorded it. Movements are never edited:
 * the past figures of a community are sums of its movements.
 */
export const StoredMovement = v.object(storedEntries(movementFields));
export type StoredMovement = v.InferOutput<typeof StoredMovement>;

/** A movement as lists show it, with the name of the member. */
export const Movement = v.object(shownEntries(movementFields, "api"));
export type Movement = v.InferOutput<typeof Movement>;

export const MovementQuery = v.pipe(
  v.object({
    access: v.optional(oneOf(accessChanges)),
    kind: v.optional(oneOf(movementKinds)),
    from: v.optional(Day),
    to: v.optional(Day),
    per: Per,
    cursor: Cursor,
  }),
  v.forward(daysInOrder(), ["to"]),
);
export type MovementQuery = v.InferOutput<typeof MovementQuery>;

export const MovementPage = v.object({
  has_more: v.boolean(),
  next_cursor: v.nullable(v.string()),
  data: v.array(Movement),
});
