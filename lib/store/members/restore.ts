import * as v from "valibot";
import { movementBetween } from "../../domain/movement.ts";
import type { StoredMovement } from "../../domain/movement-list.ts";
import { activityFields } from "../../fields/activity.ts";
import { storedEntries } from "../../fields/field.ts";
import { pick } from "../../pick.ts";
import { Problem } from "../../problem.ts";
import { appendAuditEntry, bySystem } from "../activity.ts";
import { decideAgain } from "../again.ts";
import * as erasures from "../erasures.ts";
import type { Item } from "../expression.ts";
import { type Key, keys, kindOf, prefixOf } from "../keys.ts";
import { queryAll } from "../query-all.ts";
import type { Reader, Write, Writer } from "../table.ts";
import * as users from "../users.ts";
import { timeOver, write } from "../write.ts";
import { changedFields } from "./editable.ts";
import { fromItem, itemOf, keyOf, revisionOf, type StoredMember, withoutKey } from "./item.ts";
import { putMovement } from "./movements.ts";
import {
  bookkeepingNames,
  differs,
  readable,
  recordedState,
  restoredMember,
  restoredReason,
  storedNames,
} from "./restored.ts";
import { type Difference, itemsBeside, lostItems } from "./restored-items.ts";

export type RestoreContext = {
  readonly table: Writer;
  /** An earlier copy of the table. */
  readonly copy: Reader;
  /** Whether a person is in the list of erasures. */
  readonly isErased: (userId: number) => boolean;
  /** Whether to also restore fields that people have edited since the copy. */
  readonly overwritesEdits: boolean;
  /** Whether to only report differences. */
  readonly isDryRun: boolean;
};

export type RestoreOutcome =
  | { readonly outcome: "not_in_copy" | "erased" }
  | {
      readonly outcome: "equal" | "restored";
      readonly differences: readonly Difference[];
      /** Fields that people have edited since the copy, and that stay as they are. */
      readonly kept: readonly string[];
      readonly stripe_customer_id: string | null;
    };

/** How far the version of a member whose item is lost exceeds that of the copy. No member is written as often meanwhile. */
const lostWrites = 100_000;

/** Maximum number of lost items that one transaction puts back. */
const mostItems = 50;

/**
 * Restores a member from an earlier copy of the table (`docs/decisions/073-records-are-restored-through-the-store.md`). Puts
 * back lost items beside the member first, such as the profile and the payments. Idempotent. The caller synchronizes the
 * member with Stripe afterwards.
 *
 * @throws Error if the copy or the profile cannot be read, Problem `cannot_block_owner`
 */
export const restore = (context: RestoreContext, memberId: number): Promise<RestoreOutcome> =>
  decideAgain(context.table, async () => {
    const { writes, userId, ...outcome } = await planRestore(context, memberId);
    if (!context.isDryRun) for (const each of writes) await write(context.table, [users.notErased(userId), ...each]);
    return outcome;
  });

type Plan = RestoreOutcome & { readonly writes: readonly (readonly Write[])[]; readonly userId: number };

async function planRestore(context: RestoreContext, memberId: number): Promise<Plan> {
  const { table, copy } = context;
  const parent = await copy.get(keys.memberParent(memberId));
  const inCopy = parent && (await copy.get(keys.member(Number(parent.community_id), memberId)));
  if (!inCopy) return { outcome: "not_in_copy", writes: [], userId: 0 };
  const old = fromItem(inCopy);
  const { community_id, user: person } = old;
  const [item, erasure, user] = await Promise.all([
    table.get(keyOf(old)),
    erasures.find(table, person.id),
    users.find(table, person.id),
  ]);
  const isErased = [old, item, user].some((record) => record?.erased_at !== undefined);
  if (isErased || erasure || context.isErased(person.id)) return { outcome: "erased", writes: [], userId: person.id };

  const [lost, since, movements, customer, profile] = await Promise.all([
    lostItems(context, old, user),
    entriesSince(context, memberId),
    movementsOf(table, old),
    table.get(keys.customerOf(person.id, community_id)),
    user ?? users.find(copy, person.id),
  ]);
  const stripe_customer_id = (customer?.customer_id ?? old.stripe_customer_id) as string | null;
  const { member, kept } = restoredMember({
    copy: old,
    item,
    user: profile ? users.shownPerson(profile) : person,
    since,
    movements,
    isAtStripe: stripe_customer_id !== null,
    overwritesEdits: context.overwritesEdits,
  });
  const beside = await itemsBeside(table, member, [old, item]);
  const fields = fieldDifferences(item, member);
  const differences = [
    ...lost.map((each) => ({ name: nameOf(each), is: undefined, becomes: "as in the copy" })),
    ...fields,
    ...beside.differences,
  ];
  const writes = [
    ...Array.from({ length: Math.ceil(lost.length / mostItems) }, (_, n) =>
      lost.slice(n * mostItems, (n + 1) * mostItems).map((put): Write => ({ put, when: "absent" })),
    ),
    ...(fields.length + beside.writes.length === 0
      ? []
      : [[...memberWrites(table, item, { member, movements, fields }), ...beside.writes]]),
  ];
  const outcome = differences.length === 0 ? ("equal" as const) : ("restored" as const);
  return { outcome, differences, kept, stripe_customer_id, writes, userId: person.id };
}

const nameOf = (key: Key): string => `${kindOf(key) ?? "item"} ${key.pk} ${key.sk}`;

const Entry = v.object(storedEntries(activityFields));

/** The audit entries that the copy lacks, oldest first, without those of restores. */
async function entriesSince({ table, copy }: RestoreContext, memberId: number) {
  const query = { pk: keys.activity(memberId, 0).pk, prefix: prefixOf("activity").sk };
  const [now, then] = await Promise.all([queryAll(table, query), queryAll(copy, query)]);
  const parsed = now.map((item) => v.parse(Entry, item));
  const last = then.length === 0 ? 0 : v.parse(Entry, then.at(-1)).id;
  return parsed.filter(({ id, after }) => id > last && after?.reason !== restoredReason);
}

async function movementsOf(table: Reader, { community_id, id }: StoredMember): Promise<StoredMovement[]> {
  const { pk, sk } = keys.movement(community_id, id, "", 0);
  return (await queryAll(table, { pk, prefix: sk.slice(0, -"#0".length) })) as unknown as StoredMovement[];
}

/** The attributes of the member's item that differ, with those of the indexes. */
function fieldDifferences(item: Item | undefined, member: StoredMember): Difference[] {
  const target: Item = withoutKey(itemOf(member));
  const names = new Set([...storedNames, ...Object.keys(target)]);
  for (const name of bookkeepingNames) names.delete(name);
  const current: Item = item ? { ...item, ...readable(item) } : {};
  return [...names]
    .map((name) => ({ name, is: current[name], becomes: target[name] }))
    .filter(({ is, becomes }) => differs(is, becomes));
}

type Change = {
  readonly member: StoredMember;
  readonly movements: readonly StoredMovement[];
  readonly fields: readonly Difference[];
};

/** The writes of the member's item, the movement, and the audit entry. */
function memberWrites(table: Reader, item: Item | undefined, { member, movements, fields }: Change): Write[] {
  const { updated_at = member.updated_at } = readable(item);
  const now = timeOver(member, timeOver({ updated_at }, table.runtime.now()));
  const number = (name: "version" | "sync_version" | "address_version") =>
    Math.max(Number.isSafeInteger(item?.[name]) ? Number(item?.[name]) : 0, member[name] ?? 0) + 1;
  const after: StoredMember = {
    ...member,
    version: number("version") + (item?.version === undefined ? lostWrites : 0),
    sync_version: number("sync_version"),
    // A synchronization that has read an earlier address cannot write it.
    address_version: number("address_version"),
    updated_at: now.toISOString(),
  };
  const set = pick(withoutKey(itemOf(after)), [...fields.map(({ name }) => name), ...versions, "updated_at"]);
  const before =
    after.recorded_since === undefined && item ? (readable(item) as StoredMember) : recordedState(movements);
  const movement = movementBetween(before, after);
  const changed = changedFields(fields.map(({ name }) => name).filter((name) => !name.endsWith("_pk")));
  return [
    item ? { update: keyOf(after), set, when: { is: pick(item, versions) } } : { put: itemOf(after), when: "absent" },
    ...(movement
      ? putMovement(after.community_id, { member_id: after.id, at: after.updated_at, ...movement }, revisionOf(after))
      : []),
    ...(after.is_blocked && item?.is_blocked !== true
      ? [
          {
            check: keys.community(after.community_id),
            when: { not: { owner_id: after.user.id } },
            otherwise: new Problem("cannot_block_owner"),
          } as const,
        ]
      : []),
    appendAuditEntry(
      table,
      after,
      { action: "edited", actor: bySystem, after: { ...changed, reason: restoredReason } },
      now,
    ),
  ];
}

const versions = ["version", "sync_version", "address_version"];
