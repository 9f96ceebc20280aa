import * as v from "valibot";
import { canonicalJson } from "#lib/canonical-json.ts";
import { activityFields } from "#lib/fields/activity.ts";
import { backOff } from "#lib/runtime.ts";
import { listedIn } from "#lib/store/activity.ts";
import { decideAgain } from "#lib/store/again.ts";
import { listedItemOf } from "#lib/store/community-movements.ts";
import { copyAgain, moveDue, routineChecks, scheduledEnd } from "#lib/store/due.ts";
import * as erasures from "#lib/store/erasures.ts";
import type { Item } from "#lib/store/expression.ts";
import { Conflict } from "#lib/store/failure.ts";
import { type Key, type Kind, keys, kindOf, lastIdOf } from "#lib/store/keys.ts";
import { changedFields } from "#lib/store/members/editable.ts";
import {
  accessKeyOf,
  formerSearchKeysOf,
  fromItem,
  keyOf as membersKeyOf,
  searchOf,
  UnreadableMember,
} from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import { ledgerOf } from "#lib/store/operations.ts";
import { everyPage } from "#lib/store/scan.ts";
import type { Reader, Write, Writer } from "#lib/store/table.ts";
import { missingTransactions } from "#lib/store/transactions.ts";
import * as users from "#lib/store/users.ts";
import { keyOf, write } from "#lib/store/write.ts";
import { backfill } from "./backfill.ts";
import { inParallel } from "./in-parallel.ts";

type Change = Write | readonly Write[] | undefined;

type Migration = {
  readonly kind: Kind;
  /** Returns the writes that update an item of an earlier version. Undefined if the item is up to date. */
  readonly writeOf: (item: Item & Key, table: Writer) => Change | Promise<Change>;
};

/** Whether an activity entry is about a member. The activity of communities and brands keeps its values. */
const isOfMember = (pk: string): boolean => pk === keys.activity(Number(pk.replace(/\D/g, "")), 0).pk;

const ActorAndAction = v.object({ actor: activityFields.actor.stored, action: activityFields.action.stored });

/** Lists a community under a key, as long as it has the attributes from which the key follows. */
async function listed(table: Reader, { id, pk }: Item, key: Key, is: Item): Promise<Change> {
  const community = keys.community(Number(id));
  // A member's parent item has the same sort key.
  if (pk !== community.pk || (await table.get(key))) return undefined;
  return [
    { put: { ...key, community_id: id }, when: "absent" },
    { check: community, when: { is } },
  ];
}

const migrations: Readonly<Record<string, Migration>> = {
  "activity of members that holds what was edited": {
    kind: "activity",
    writeOf({ pk, sk, action, before, after }) {
      if (!isOfMember(pk) || action !== "edited") return undefined;
      if (typeof after !== "object" || after === null || "changed" in after) return undefined;
      const set = { before: null, after: changedFields(Object.keys({ ...(before as object | null), ...after })) };
      return { update: { pk, sk }, set, when: "exists" };
    },
  },
  "activity of members in the list of their community": {
    kind: "activity",
    async writeOf(item, table) {
      if (!isOfMember(item.pk) || item.status_pk !== undefined) return undefined;
      const parent = await table.get(keys.memberParent(lastIdOf({ sk: item.pk })));
      const set = parent && listedIn(Number(parent.community_id), v.parse(ActorAndAction, item));
      return set && { update: { pk: item.pk, sk: item.sk }, set, when: "exists" };
    },
  },
  "movements in the list of their community": {
    kind: "movement",
    writeOf: (item) => ({ put: listedItemOf(item), when: "absent" }),
  },
  "owners of communities": {
    kind: "community",
    writeOf: ({ id, pk, owner_id }, table) =>
      listed(table, { id, pk }, keys.ownedCommunity(Number(owner_id), Number(id)), { owner_id }),
  },
  "list of communities": {
    kind: "community",
    writeOf: ({ id, pk, status }, table) =>
      status === "active" || status === "archived"
        ? listed(table, { id, pk }, keys.listedCommunity(status, Number(id)), { status })
        : undefined,
  },
  "lists of members by access and address": {
    kind: "member",
    writeOf(item) {
      const { pk, sk, version, sync_version } = item;
      const access_pk = accessKeyOf(fromItem(item));
      const isListed = item.access_pk === access_pk;
      return isListed ? undefined : { update: { pk, sk }, set: { access_pk }, when: { is: { version, sync_version } } };
    },
  },
  "search entries with full names, and without final sigmas": {
    kind: "member",
    async writeOf(item, table) {
      const member = fromItem(item);
      const entries = searchOf(member);
      const [stored, former, erasure] = await Promise.all([
        table.getAll(entries.map(({ pk, sk }) => ({ pk, sk }))),
        table.getAll(formerSearchKeysOf(member)),
        table.get(keys.erasure(member.user.id)),
      ]);
      if (erasure || (stored.length === entries.length && former.length === 0)) return undefined;
      return [
        ...entries.map((put) => ({ put })),
        ...former.map((entry) => ({ delete: { pk: String(entry.pk), sk: String(entry.sk) } })),
        members.unchanged(member),
        users.notErased(member.user.id, new Conflict("The person is erased")),
      ];
    },
  },
  "monthly amounts and intervals, which the schedule reads from Stripe": {
    kind: "member",
    writeOf: ({ community_id, id, status, stripe_customer_id, monthly_cents, interval }) =>
      stripe_customer_id && status !== "canceled" && (monthly_cents === undefined || interval === undefined)
        ? { ...copyAgain(Number(community_id), Number(id)), when: "absent" }
        : undefined,
  },
  "scheduled ends of members without a subscription": {
    kind: "member",
    writeOf(item) {
      const member = fromItem(item);
      // A member with a Stripe customer already has a due row.
      const isListed = scheduledEnd(member) === undefined || member.stripe_customer_id !== null;
      const [row] = isListed ? [] : moveDue(undefined, member);
      return row && "put" in row ? { put: row.put, when: "absent" } : undefined;
    },
  },
  "routine checks of members with long billing periods": {
    kind: "member",
    async writeOf(item, table) {
      const rows = routineChecks(fromItem(item), table.runtime.now());
      const next = rows.at(-1);
      const isListed = next && (await table.getAll(rows.map(({ pk, sk }) => ({ pk, sk })))).length > 0;
      return next && !isListed ? { put: next, when: "absent" } : undefined;
    },
  },
};

const erasedName = "memberships of erased people, which end";
const transactionsName = "members whose transactions are listed";
const pastName = "past of members, from paid invoices";

/** Names of all migrations of this version. */
export const migrationNames: readonly string[] = [...Object.keys(migrations), erasedName, transactionsName, pastName];

/** Item with the migrations that have run to their end. */
const recordKey = keys.progress("migrations");
/** Item with the position of a run that is in progress or was interrupted. */
const positionKey = keys.progress("migration");

/** Returns the names of the migrations that have not run to their end on a table. */
export async function openMigrations(table: Reader): Promise<string[]> {
  const record = await table.get(recordKey);
  const completed = v.parse(v.optional(v.array(v.string()), []), record?.completed);
  return migrationNames.filter((name) => !completed.includes(name));
}

type MigrationOptions = {
  readonly isDryRun: boolean;
  /** Whether to continue where the previous run was interrupted. Items before that are not read. */
  readonly continues?: boolean;
  /** Called with the number of items read. */
  readonly onProgress: (read: number) => void;
};

/** Number of items that are migrated at the same time, and after which the position is stored. */
const [concurrency, pageSize] = [20, 500];

/**
 * Updates all items that earlier versions stored, and records that all migrations have run, unless an item was left out.
 * Can be repeated, also after an interruption.
 *
 * @returns the number of items read, of changed items by migration, and for each item that was left out the reason: a
 * malformed member, or an item that others wrote during each attempt
 */
export async function migrate(table: Writer, { isDryRun, continues = false, onProgress }: MigrationOptions) {
  const changed = Object.fromEntries(migrationNames.map((name) => [name, 0]));
  const leftOut: string[] = [];
  let read = 0;
  const after = continues ? await positionOf(table) : undefined;
  for await (const { items, last } of everyPage(table, { after, limit: pageSize })) {
    await inParallel(items, concurrency, async (item) => {
      try {
        for await (const name of migrateItem(table, item, isDryRun)) changed[name] = (changed[name] ?? 0) + 1;
      } catch (error) {
        if (!(error instanceof UnreadableMember || error instanceof Conflict)) throw error;
        const reason = error instanceof Conflict ? "It has changed during each attempt to update it" : error.message;
        leftOut.push(`${item.pk} ${item.sk}: ${reason}`);
      }
    });
    read += items.length;
    onProgress(read);
    // A run that continues does not read items before the position, so that it must not pass one that was left out.
    if (last && !isDryRun && leftOut.length === 0)
      await write(table, [{ put: { ...positionKey, after: last, names: migrationNames } }]);
  }
  const completed_at = table.runtime.now().toISOString();
  if (!isDryRun)
    await write(table, [
      ...(leftOut.length === 0 ? [{ put: { ...recordKey, completed: migrationNames, completed_at } }] : []),
      { delete: positionKey },
    ]);
  return { read, changed, leftOut };
}

/** The key up to which an interrupted run of the same migrations has migrated all items. */
async function positionOf(table: Reader): Promise<Key | undefined> {
  const item = await table.get(positionKey);
  if (canonicalJson(item?.names ?? []) !== canonicalJson(migrationNames)) return undefined;
  return v.parse(v.optional(v.object({ pk: v.string(), sk: v.string() })), item?.after);
}

/** Updates an item. Yields the names of the migrations that have changed it. */
async function* migrateItem(table: Writer, item: Item & Key, isDryRun: boolean): AsyncGenerator<string> {
  const kind = kindOf(item);
  for (const [name, migration] of Object.entries(migrations))
    if (migration.kind === kind && (await apply(table, migration, item, isDryRun))) yield name;
  if (kind !== "member") return;
  const [communityId, id] = [Number(item.community_id), Number(item.id)];
  const isLeft = item.erased_at !== undefined && item.status !== "canceled";
  if (isLeft && (await endedMembership(table, communityId, id, isDryRun))) yield erasedName;
  if (await listTransactions(table, communityId, id, isDryRun)) yield transactionsName;
  if (item.recorded_since === undefined && (await backfill(table, communityId, id, isDryRun))) yield pastName;
}

const attempts = 5;

/** @returns whether the membership was still live */
async function endedMembership(table: Writer, communityId: number, memberId: number, isDryRun: boolean) {
  for (let tried = 1; ; tried++) {
    const member = await members.find(table, communityId, memberId);
    if (!member || member.status === "canceled") return false;
    // An unfinished erasure waits for the end of the subscription at Stripe.
    const isLeftToStripe = async () => !(await erasures.find(table, member.user.id))?.finished_at;
    if (member.stripe_subscription_id !== null && (await isLeftToStripe())) return false;
    try {
      if (!isDryRun) await erasures.endErased(table, member);
      return true;
    } catch (error) {
      if (!(error instanceof Conflict) || tried === attempts) throw error;
      await backOff(table.runtime, tried);
    }
  }
}

/** Maximum number of writes in a DynamoDB transaction, without the check of the member. */
const mostWrites = 99;

/**
 * Lists the payments, refunds and disputes of a member for their community, unless a synchronization stores others meanwhile.
 *
 * @returns whether any was missing
 */
const listTransactions = (table: Writer, communityId: number, memberId: number, isDryRun: boolean): Promise<boolean> =>
  decideAgain(table, async () => {
    const member = await members.find(table, communityId, memberId);
    if (!member) return false;
    const missing = await missingTransactions(table, member, await ledgerOf(table, memberId));
    const { sync_version } = member;
    const check: Write = { check: membersKeyOf(member), when: { is: { sync_version } } };
    for (let n = 0; n < (isDryRun ? 0 : missing.length); n += mostWrites)
      await write(table, [check, ...missing.slice(n, n + mostWrites)]);
    return missing.length > 0;
  });

/**
 * Updates an item, and decides again if it was written meanwhile.
 *
 * @returns whether there was anything to write
 * @throws Conflict if the item keeps changing
 */
function apply(table: Writer, { writeOf }: Migration, item: Item & Key, isDryRun: boolean): Promise<boolean> {
  const { pk, sk } = item;
  let current: (Item & Key) | undefined = item;
  return decideAgain(table, async () => {
    const change = current && (await writeOf(current, table));
    if (!change) return false;
    const isStored = async () => "put" in change && (await table.get(keyOf(change))) !== undefined;
    if (isDryRun) return !(await isStored());
    try {
      await write(table, [change].flat());
      return true;
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      if (await isStored()) return false;
      const stored = await table.get({ pk, sk });
      current = stored && { ...stored, pk, sk };
      throw error;
    }
  });
}
