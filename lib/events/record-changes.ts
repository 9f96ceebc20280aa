import { EventBenefit, EventBrand, EventCommunity, EventDestination, EventTier } from "../contract/event-data.ts";
import { type Change, type EventRecord, type EventType, events } from "../contract/events.ts";
import { pick } from "../pick.ts";
import { previousOf } from "./rules.ts";

/** The fields of records in events, except of members. */
const shown = {
  community: EventCommunity,
  tier: EventTier,
  benefit: EventBenefit,
  event_destination: EventDestination,
  brand: EventBrand,
} as const;

export type RecordKind = keyof typeof shown;

type TypeOf<K extends RecordKind> = Extract<EventType, `${K}.${string}`>;

/** The state of a record in its events. */
export type RecordState<K extends RecordKind> = EventRecord<TypeOf<K>>;

/**
 * Event types that need a rule. `created`, `updated` and `deleted` need none: `updated` is sent for changes without
 * another event.
 */
type TypeWithRule<K extends RecordKind> = Exclude<TypeOf<K>, `${K}.${"created" | "updated" | "deleted"}`>;

/** Sends an event if one of the fields changes and the condition holds for the new state. */
type Rule<State> = {
  readonly fields: readonly (keyof State)[];
  readonly isAbout?: (after: State) => boolean;
};

const movedTo = (status: "active" | "archived" | "disabled"): Rule<{ readonly status: string }> => ({
  fields: ["status"],
  isAbout: (after) => after.status === status,
});

/**
 * The rules by event type. A type without a rule does not compile. The events of one change are sent in the order of
 * the rules.
 */
const rules: { readonly [K in RecordKind]: Readonly<Record<TypeWithRule<K>, Rule<RecordState<K>>>> } = {
  community: {
    "community.archived": movedTo("archived"),
    "community.activated": movedTo("active"),
  },
  tier: {
    "tier.archived": movedTo("archived"),
    "tier.activated": movedTo("active"),
  },
  benefit: {
    "benefit.archived": movedTo("archived"),
    "benefit.activated": movedTo("active"),
  },
  event_destination: {
    "event_destination.disabled": movedTo("disabled"),
  },
  brand: {},
};

/** The events of a change of a record. Without `before`, the record is new; without `after`, it was deleted. */
export function recordChanges<K extends RecordKind>(
  kind: K,
  before: RecordState<K> | undefined,
  after: RecordState<K> | undefined,
): Change[] {
  const names = Object.keys(shown[kind].entries) as (keyof RecordState<K>)[];
  const [was, is] = [before && pick(before, names), after && pick(after, names)];
  const record = is ?? was;
  if (!record) return [];
  const previous = previousOf(was, record);
  return typesOf(kind, before, after, Object.keys(previous))
    .filter((type) => type in events)
    .map((type) => ({ type, data: { [kind]: record }, previous }) as unknown as Change);
}

function typesOf<K extends RecordKind>(
  kind: K,
  before: RecordState<K> | undefined,
  after: RecordState<K> | undefined,
  changed: readonly PropertyKey[],
): string[] {
  if (!before) return [`${kind}.created`];
  if (!after) return [`${kind}.deleted`];
  const sent = Object.entries<Rule<RecordState<K>>>(rules[kind]).filter(
    ([, { fields, isAbout }]) => fields.some((field) => changed.includes(field)) && (isAbout?.(after) ?? true),
  );
  const covered: PropertyKey[] = sent.flatMap(([, { fields }]) => fields);
  const types = sent.map(([type]) => type);
  return changed.every((field) => covered.includes(field)) ? types : [...types, `${kind}.updated`];
}
