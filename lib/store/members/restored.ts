import * as v from "valibot";
import { canonicalJson } from "../../canonical-json.ts";
import type { StoredActivity } from "../../domain/activity.ts";
import { movementBetween, type Recorded } from "../../domain/movement.ts";
import type { StoredMovement } from "../../domain/movement-list.ts";
import { setBy, storedEntries } from "../../fields/field.ts";
import { memberFields } from "../../fields/member.ts";
import type { Person } from "../../values/person.ts";
import type { Item } from "../expression.ts";
import type { StoredMember } from "./item.ts";

/** The reason in the audit entries of restored members. */
export const restoredReason = "restored_from_copy";

type Name = keyof StoredMember;

const entries: Readonly<Record<string, v.GenericSchema>> = storedEntries(memberFields);
export const storedNames = Object.keys(entries) as Name[];

/** Synchronizations set these fields once, and Stripe does not have their values. */
const setOnce: readonly Name[] = ["first_granted_at", "first_paying_at", "trial_announced"];
/** Later writes may have changed these fields correctly, so the copy is used only if they are missing. */
const keptIfPresent: readonly Name[] = ["imported", "opening", "recorded_since", ...setOnce];
/** The state of the subscription, and the sums. */
const termNames: readonly Name[] = setBy(memberFields, "sync").filter(
  (name) => !setOnce.includes(name) && name !== "shipping_address",
);
/** Fields that belong to the stored item rather than to the member. */
export const bookkeepingNames: readonly Name[] = [
  "version",
  "sync_version",
  "address_version",
  "updated_at",
  "changed_facts",
  "erased_at",
];

/** Audit entries about the term of a membership. */
const termActions: readonly StoredActivity["action"][] = [
  "canceled",
  "cancel_scheduled",
  "uncanceled",
  "status_changed",
  "tier_changed",
];

export type RestoreInput = {
  /** The member in the copy of the table. */
  readonly copy: StoredMember;
  /** The member's item in the table. */
  readonly item: Item | undefined;
  /** The names and address of the current profile. */
  readonly user: Person;
  /** Audit entries that are newer than the copy, oldest first. */
  readonly since: readonly StoredActivity[];
  /** All movements of the member. */
  readonly movements: readonly StoredMovement[];
  /** Whether the member has a Stripe customer. */
  readonly isAtStripe: boolean;
  /** Whether to also restore fields that people have edited since the copy. */
  readonly overwritesEdits: boolean;
};

export type Restored = {
  readonly member: StoredMember;
  /** Fields that differ from the copy and are kept, because the activity has a later edit of them. */
  readonly kept: readonly string[];
};

/**
 * The member that a restore writes, with the bookkeeping of the copy. Takes the fields that only Odis has from the copy,
 * unless the activity has a later edit of them, and the block from the newest audit entry about it. Keeps the data of
 * Stripe, which the next synchronization corrects, if they are readable and agree with the recorded movements.
 */
export function restoredMember(input: RestoreInput): Restored {
  const { copy, item, since, user, overwritesEdits } = input;
  const current = readable(item);
  const isImported = since.some(({ action }) => action === "imported");
  const fromCurrent = new Set<Name>(["changed_facts"]);
  const edited = new Set<Name>(overwritesEdits ? [] : editedNames(since));
  for (const name of storedNames) {
    const isKept = isImported || edited.has(name) || (keptIfPresent.includes(name) && current[name] != null);
    if (isKept) fromCurrent.add(name);
  }
  if (keepsTerm(input, current, isImported)) {
    for (const name of termNames) fromCurrent.add(name);
    // An edit of the address is written to Stripe first.
    if (input.isAtStripe) fromCurrent.add("shipping_address");
  }
  const valueOf = (name: Name) => (fromCurrent.has(name) && name in current ? current[name] : copy[name]);
  const values = Object.fromEntries(storedNames.map((name) => [name, valueOf(name)]));
  const member = { ...(values as StoredMember), ...blockAfter(since), user };
  return { member, kept: [...edited].filter((name) => differs(copy[name], member[name])) };
}

/** The fields of an item that can be read. Another field of the item may be unreadable. */
export function readable(item: Item | undefined): Partial<StoredMember> {
  if (!item) return {};
  const results = storedNames.map((name) => [name, v.safeParse(entries[name] as v.GenericSchema, item[name])] as const);
  return Object.fromEntries(results.flatMap(([name, { success, output }]) => (success ? [[name, output]] : [])));
}

/** Whether two stored values differ. */
export const differs = (a: unknown, b: unknown): boolean => canonicalJson([a]) !== canonicalJson([b]);

/** The fields that the activity says people have edited. */
const editedNames = (since: readonly StoredActivity[]): Name[] =>
  since
    .filter(({ action }) => action === "edited")
    .flatMap(({ after }) => (after?.changed ?? []) as string[])
    .map((name) => (name === "metadata" ? "custom" : name) as Name);

/** Whether the current data of the subscription are kept. */
function keepsTerm(
  { since, movements, copy, isAtStripe }: RestoreInput,
  current: Partial<StoredMember>,
  isImported: boolean,
): boolean {
  const isReadable = termNames.every((name) => name in current);
  if (!isReadable) return false;
  const isRecorded =
    copy.recorded_since === undefined || !movementBetween(recordedState(movements), current as StoredMember);
  const isChanged = since.some(({ action }) => termActions.includes(action));
  return isImported || (isRecorded && (isAtStripe || isChanged));
}

/** A state to which the movements of a member add up. */
export function recordedState(movements: readonly StoredMovement[]): Recorded {
  const accesses = movements.flatMap(({ access }) => access ?? []);
  const amounts = movements.flatMap(({ monthly }) => monthly ?? []);
  return {
    status: accesses.at(-1) === "begun" ? "active" : "canceled",
    is_blocked: false,
    monthly_cents: amounts.at(-1)?.after_cents ?? 0,
    first_paying_at: amounts.length > 0 ? movements[0]?.at : undefined,
  };
}

/** The block after the newest audit entry about it. Empty if there is none. */
function blockAfter(since: readonly StoredActivity[]): Partial<StoredMember> {
  const newest = since.findLast(({ action }) => action === "blocked" || action === "unblocked");
  if (!newest) return {};
  if (newest.action === "unblocked")
    return { is_blocked: false, blocked_at: null, blocked_by: null, block_reason: null };
  const { actor, at, after } = newest;
  return {
    is_blocked: true,
    blocked_at: at,
    blocked_by: actor.type === "user" ? actor.id : null,
    block_reason: (after?.block_reason ?? null) as string | null,
  };
}
