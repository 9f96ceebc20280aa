import { isDeepStrictEqual } from "node:util";
import type { EventType } from "../contract/events.ts";

type AreaOf<T extends string> = T extends `${infer Name}.${string}` ? Name : never;

/** The prefix of an event type: `member`, `access`, `tier`. */
export type Area = AreaOf<EventType>;

/** The event types of an area. */
export type TypeIn<A extends Area> = Extract<EventType, `${A}.${string}`>;

/** Whether a change from one state to another causes an event. */
export type Rule<State> = (before: State | undefined, after: State) => boolean;

/** A rule for each event type of an area, checked by the compiler. Events are in the order of the rules. */
export type Rules<A extends Area, State> = Readonly<Record<TypeIn<A>, Rule<State>>>;

/** The types of events that a change causes. */
export function typesOf<A extends Area, State>(
  rules: Rules<A, State>,
  before: State | undefined,
  after: State,
): TypeIn<A>[] {
  const types = Object.keys(rules) as TypeIn<A>[];
  return types.filter((type) => rules[type](before, after));
}

/** The former values of the fields that have changed. Empty for a new record. */
export function previousOf<T extends object>(before: T | undefined, after: T): Partial<T> {
  const names = Object.keys(before ?? {}) as (keyof T)[];
  const changed = names.filter((name) => !isDeepStrictEqual(before?.[name], after[name]));
  return Object.fromEntries(changed.map((name) => [name, before?.[name]])) as Partial<T>;
}
