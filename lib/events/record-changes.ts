import { EventBenefit, EventBrand, EventCommunity, EventDestination, EventTier } from "../contract/event-data.ts";
import { type Change, type EventRecord, type EventType, events } from "../contract/events.ts";
import { pick } from "../pick.ts";
import { previousOf } from "./rules.ts";

/** What events hold of each record that is not of a member. */
const shown = {
  community: EventCommunity,
  tier: EventTier,
  benefit: EventBenefit,
  event_destination: EventDestination,
  brand: EventBrand,
} as const;

export type RecordKind = keyof typeof shown;

type TypeOf<K extends RecordKind> = Extract<EventType, `${K}.${string}`>;

/** The state of a record that its events hold. */
export type RecordState<K extends RecordKind> = EventRecord<TypeOf<K>>;

/** What happens to records: `created`, `archived`. */
type ActionOf<T> = T extends `${RecordKind}.${infer Action}` ? Action : never;

type State = { readonly status?: string };
type Rule = (before: State | undefined, after: State | undefined) => boolean;

const movedTo =
  (status: "active" | "archived" | "disabled"): Rule =>
  (before, after) =>
    before !== undefined && after?.status === status && before.status !== status;

/** An action without a rule does not compile. The events of one change follow the order of the rules. */
const rules: Readonly<Record<ActionOf<EventType>, Rule>> = {
  created: (before) => before === undefined,
  archived: movedTo("archived"),
  activated: movedTo("active"),
  disabled: movedTo("disabled"),
  updated(before, after) {
    if (!before || !after) return false;
    const { status: _, ...edited } = previousOf(before, after);
    return Object.keys(edited).length > 0;
  },
  deleted: (_, after) => after === undefined,
};

const actions = Object.keys(rules) as (keyof typeof rules)[];

/** The events of a change of a record. It is new without `before`, and deleted without `after`. */
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
  return actions
    .filter((action) => `${kind}.${action}` in events && rules[action](was, is))
    .map((action) => ({ type: `${kind}.${action}`, data: { [kind]: record }, previous }) as unknown as Change);
}
