import { canonicalJson } from "../../canonical-json.ts";
import { backOff } from "../../runtime.ts";
import { Conflict } from "../failure.ts";
import { type Key, keys } from "../keys.ts";
import type { Write, Writer } from "../table.ts";
import * as users from "../users.ts";
import { write } from "../write.ts";
import { formerSearchKeysOf, keyOf, type StoredMember, searchOf } from "./item.ts";
import * as members from "./members.ts";
import * as memberships from "./memberships.ts";

const attempts = 8;

/**
 * Copies the names and email address of a profile to all member records of the person and to their search items. Skips
 * copies that are up to date, and erased members. A copy is written only if the profile is unchanged since it was read, so
 * that the newest profile wins.
 *
 * @returns the member records of the person, without erased ones
 */
export async function copyToMembers(table: Writer, user: users.User, now: Date): Promise<StoredMember[]> {
  const found: StoredMember[] = [];
  for (const { community_id, member_id } of await memberships.ofUser(table, user.id)) {
    const member = await copyTo(table, user, { community_id, member_id, now });
    if (member) found.push(member);
  }
  return found;
}

type CopyTarget = { readonly community_id: number; readonly member_id: number; readonly now: Date };

async function copyTo(table: Writer, read: users.User, { community_id, member_id, now }: CopyTarget) {
  for (let tried = 1; ; tried++) {
    const [user, member] = await Promise.all([
      tried === 1 ? read : users.find(table, read.id),
      members.find(table, community_id, member_id),
    ]);
    if (!user || !member || member.erased_at !== undefined) return undefined;
    const after = { ...member, user: users.shownPerson(user) };
    if (canonicalJson(after.user) === canonicalJson(member.user)) return member;
    const former = await table.getAll(formerSearchKeysOf(member));
    try {
      const isStill = { check: keys.user(user.id), when: { is: { updated_at: user.updated_at } } } as const;
      await write(table, [...copied(member, after, { former: former as unknown as Key[], now }), isStill]);
      return after;
    } catch (error) {
      if (!(error instanceof Conflict) || tried === attempts) throw error;
      await backOff(table.runtime, tried);
    }
  }
}

type CopyOptions = { readonly former: readonly Key[]; readonly now: Date };

/** @param former stored search items of an earlier version */
function copied(before: StoredMember, after: StoredMember, { former, now }: CopyOptions): Write[] {
  const version = before.version + 1;
  // Copying the profile does not count as an edit of the member, so a later import may still replace the data of an
  // earlier import.
  const imported = before.imported?.version === before.version ? { ...before.imported, version } : before.imported;
  const [old, found] = [[...searchOf(before), ...former], searchOf(after)];
  const kept = new Set(found.map(({ sk }) => sk));
  return [
    {
      update: keyOf(before),
      set: { user: after.user, version, updated_at: now.toISOString(), ...(imported && { imported }) },
      when: { is: { version: before.version } },
    },
    ...found.map((put): Write => ({ put })),
    ...old.filter(({ sk }) => !kept.has(sk)).map(({ pk, sk }): Write => ({ delete: { pk, sk } })),
  ];
}
