import { canonicalJson } from "../canonical-json.ts";
import { pick } from "../pick.ts";
import { backOff } from "../runtime.ts";
import { addressHashesOf, type ErasedPerson } from "../store/erasures.ts";
import type { Item } from "../store/expression.ts";
import { Conflict } from "../store/failure.ts";
import { toAddressHash } from "../store/invitations.ts";
import { type ItemKind, type Key, keys, kindOf, lastIdOf } from "../store/keys.ts";
import { formerSearchKeysOf, fromItem, type StoredMember, searchOf } from "../store/members/item.ts";
import { ledgerOfItems } from "../store/operations.ts";
import { queryAll } from "../store/query-all.ts";
import type { Reader, Writer } from "../store/table.ts";
import { listedTransactions } from "../store/transactions.ts";
import { type SweepingWrite, sweepItem } from "../store/write.ts";
import { rules } from "./kinds.ts";

/** An item about a person. */
export type Found = { readonly kind: ItemKind; readonly item: Item & Key };

/** Identifiers for finding a person's items: from the profile before the erasure, from the record of the erasure afterwards. */
export type Named = {
  readonly id: number;
  readonly sub: string | null;
  readonly email?: string;
  readonly address_hash?: string | null;
  readonly account_address_hash?: string | null;
  /** When the erasure was completed. Later invitations to the address are of somebody else. Null before. */
  readonly finished_at?: string | null;
};

export const namedBy = (person: ErasedPerson): Named => ({
  ...pick(person, ["id", "sub", "email"]),
  ...addressHashesOf(person),
});

/** All items about a person. */
export async function itemsOf(
  table: Reader,
  { id, sub, email = "", finished_at = null, ...hashes }: Named,
): Promise<Found[]> {
  const own = (await queryAll(table, { pk: keys.user(id).pk })).map(found);
  const places = own.filter(({ kind }) => kind === "customerOf" || kind === "membership");
  const ids = new Map(places.map(({ item }) => [Number(item.member_id), lastIdOf(item)]));
  const teamIds = own.filter(({ kind }) => kind === "teamOf").map(({ item }) => lastIdOf(item));
  const [named, invited, inTeams, ...ofMembers] = await Promise.all([
    table.getAll([
      ...(email === "" ? [] : [keys.email(email)]),
      ...(sub === null ? [] : [keys.subject(sub), keys.mailboxProof(sub), keys.adminAccess(sub)]),
    ]),
    itemsOfInvitations(table, [hashes.address_hash, hashes.account_address_hash], finished_at),
    table.getAll(teamIds.map((communityId) => keys.teamMember(communityId, id))),
    ...Array.from(ids, ([memberId, communityId]) => itemsOfMember(table, communityId, memberId)),
  ]);
  const others = named.map((item) => namedKind(item, { id, sub, email }));
  return [...own, ...inTeams.map(found), ...others, ...invited, ...ofMembers.flat()];
}

/** Invitations to the given addresses up to a time, with the items that find them. */
async function itemsOfInvitations(
  table: Reader,
  hashes: readonly (string | null | undefined)[],
  until: string | null,
): Promise<Found[]> {
  const all = [...new Set(hashes)].filter((hash) => typeof hash === "string");
  const invited = await Promise.all(
    all.map(async (hash) =>
      (await toAddressHash(table, hash))
        .filter(({ created_at }) => until === null || created_at <= until)
        .flatMap(({ community_id, id }): Found[] => [
          { kind: "invitationTo", item: keys.invitationTo(hash, community_id) },
          { kind: "invitationParent", item: keys.invitationParent(id) },
          { kind: "invitation", item: keys.invitation(community_id, id) },
        ]),
    ),
  );
  return invited.flat();
}

async function itemsOfMember(table: Reader, communityId: number, memberId: number): Promise<Found[]> {
  const [partition, item] = await Promise.all([
    queryAll(table, { pk: keys.memberParent(memberId).pk }),
    table.get(keys.member(communityId, memberId)),
  ]);
  const [search, imported, transactions] = await Promise.all([
    item ? searchItemsOf(table, fromItem(item)) : [],
    item ? importedAs(table, fromItem(item)) : [],
    listedTransactions(table, { id: memberId, community_id: communityId }, ledgerOfItems(partition)),
  ]);
  return [
    ...search.map((one): Found => ({ kind: "memberSearch", item: one as Found["item"] })),
    ...imported.map((one): Found => ({ kind: "importedAs", item: one as Found["item"] })),
    ...[...partition, ...transactions, ...(item ? [item] : [])].map(found),
  ];
}

const searchItemsOf = (table: Reader, member: StoredMember) =>
  table.getAll([...searchOf(member).map(({ pk, sk }) => ({ pk, sk })), ...formerSearchKeysOf(member)]);

/** Items that find a member by the addresses with which they were imported. Another person may have an address since. */
async function importedAs(table: Reader, { community_id, imported, user }: StoredMember): Promise<Item[]> {
  const hashes = imported?.address_hashes ?? [];
  const items = await table.getAll(hashes.map((hash) => keys.importedAs(hash, community_id)));
  return items.filter(({ user_id }) => user_id === user.id);
}

/** @throws Error for an item of an unknown kind, which has no rule */
function found(item: Item): Found {
  const key = item as Found["item"];
  const kind = kindOf(key);
  if (!kind) throw new Error(`An item of a person has an unknown kind: ${key.sk.split("#")[0]}`);
  return { kind, item: key };
}

function namedKind(item: Item, { sub, email = "" }: Named): Found {
  const places = {
    email: keys.email(email),
    subject: keys.subject(sub ?? ""),
    mailboxProof: keys.mailboxProof(sub ?? ""),
    adminAccess: keys.adminAccess(sub ?? ""),
  };
  const kind = (Object.keys(places) as (keyof typeof places)[]).find(
    (name) => places[name].sk === item.sk && places[name].pk === item.pk,
  );
  if (!kind) throw new Error(`An item of a person has an unknown key: ${String(item.sk)}`);
  return { kind, item: item as Found["item"] };
}

/** The write of an erasure to an item. Undefined if the item needs none. */
function erasing({ kind, item }: Found): SweepingWrite | undefined {
  const rule = rules[kind];
  const { pk, sk } = item;
  if (rule === "deleted") return { sweeps: true, delete: { pk, sk } };
  if (typeof rule === "string") return undefined;
  const wanted = rule(item);
  const names = Object.keys(wanted).filter((name) => canonicalJson(wanted[name]) !== canonicalJson(item[name] ?? null));
  if (names.length === 0) return undefined;
  const read = pick(
    item,
    // Prevents a concurrent synchronization, which has read the item before, from overwriting the erased item.
    ["version", "sync_version", "revision"].filter((name) => name in item),
  );
  const next = Object.fromEntries(Object.entries(read).map(([name, value]) => [name, Number(value) + 1]));
  return { sweeps: true, update: { pk, sk }, set: { ...pick(wanted, names), ...next }, when: { is: read } };
}

/** Number of items that an erasure would change or delete, by kind. */
export function countsOf(items: readonly Found[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const one of items)
    if (erasing(one)) {
      const name = one.kind.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
      counts[name] = (counts[name] ?? 0) + 1;
    }
  return counts;
}

const attempts = 5;
const concurrency = 8;

/**
 * Erases the remaining items about a person. Each item is written separately, so that the sweep can be resumed. Items that
 * are found through other items come first. Throws a `Conflict` if others keep writing.
 */
export async function sweep(table: Writer, named: Named): Promise<void> {
  for (let tried = 1; ; tried++) {
    const items = await itemsOf(table, named);
    try {
      await eachOf(items.filter(isFoundByOther), (one) => writeErasing(table, one));
      await eachOf(
        items.filter((one) => !isFoundByOther(one)),
        (one) => writeErasing(table, one),
      );
      return;
    } catch (error) {
      if (!(error instanceof Conflict) || tried === attempts) throw error;
      await backOff(table.runtime, tried);
    }
  }
}

/** Whether the key of an item depends on another item: a member, an invitation, or a team in the person's partition. */
const isFoundByOther = ({ kind }: Found): boolean =>
  ["memberSearch", "importedAs", "invitation", "invitationParent", "teamMember"].includes(kind);

async function writeErasing(table: Writer, one: Found): Promise<void> {
  const sweeping = erasing(one);
  if (sweeping) await sweepItem(table, sweeping);
}

/** Processes a few items at the same time, because a member may have thousands. */
async function eachOf<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const left = all.values();
  const next = async () => {
    for (const one of left) await act(one);
  };
  const outcomes = await Promise.allSettled(Array.from({ length: concurrency }, next));
  for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
}
