import { moveDue, routineChecks } from "../due.ts";
import type { Item } from "../expression.ts";
import { type Key, keys, kindOf } from "../keys.ts";
import { queryAll } from "../query-all.ts";
import type { Reader, Write } from "../table.ts";
import * as users from "../users.ts";
import { membershipOf, type StoredMember, searchOf, withoutKey } from "./item.ts";
import { differs, readable } from "./restored.ts";

/** A field, or an item beside the member, with its value in the table and its value after the restore. */
export type Difference = { readonly name: string; readonly is: unknown; readonly becomes: unknown };

/** Kinds of items in a member's partition that a restore puts back. */
const besideMember = ["memberParent", "subscription", "payment", "refund", "dispute", "activity"] as const;

/** The items of a member and their person that the copy has and the table lacks. */
export async function lostItems(
  { table, copy }: { readonly table: Reader; readonly copy: Reader },
  old: StoredMember,
  user: users.User | undefined,
): Promise<(Key & Item)[]> {
  const former = await users.find(copy, old.user.id);
  const isSame = (name: "email" | "sub") => former && (!user || user[name] === former[name]);
  const ofPerson = [
    keys.user(old.user.id),
    keys.customerOf(old.user.id, old.community_id),
    ...(former?.email && isSame("email") ? [keys.email(former.email)] : []),
    ...(former?.sub && isSame("sub") ? [keys.subject(former.sub)] : []),
    ...(old.imported?.address_hashes ?? []).map((hash) => keys.importedAs(hash, old.community_id)),
    ...(old.stripe_customer_id === null ? [] : [keys.customer(old.stripe_customer_id)]),
  ];
  const { pk } = keys.memberParent(old.id);
  const [inPartition, ofCopy, present, others] = await Promise.all([
    queryAll(copy, { pk }),
    copy.getAll(ofPerson),
    queryAll(table, { pk }),
    table.getAll(ofPerson),
  ]);
  const names = new Set([...present, ...others].map(pathOf));
  const kinds: readonly (string | undefined)[] = besideMember;
  return ([...ofCopy, ...inPartition.filter((item) => kinds.includes(kindOf(item as Key)))] as (Key & Item)[]).filter(
    (item) => !names.has(pathOf(item)),
  );
}

const pathOf = ({ pk, sk }: Item): string => `${String(pk)} ${String(sk)}`;

/** The writes that make the items beside the member equal to it: the membership, the search items and the due row. */
export async function itemsBeside(table: Reader, member: StoredMember, others: readonly (Item | undefined)[]) {
  const membership = membershipOf(member);
  const search = searchOf(member);
  const formerSearch = others.flatMap((other) => {
    const { user } = readable(other);
    return user ? searchOf({ ...member, user }) : [];
  });
  const due = moveDue(undefined, member).flatMap((each) => ("put" in each ? each.put : []));
  const checks = [...due, ...routineChecks(member, table.runtime.now())];
  const found = await table.getAll([membership, ...search, ...formerSearch, ...checks].map(keyOfItem));
  const at = new Map(found.map((item) => [pathOf(item), item]));
  const isEqual = (target: Item) => {
    const stored = at.get(pathOf(target));
    return stored !== undefined && Object.keys(target).every((name) => !differs(stored[name], target[name]));
  };
  const kept = new Set(search.map(pathOf));
  const stray = formerSearch.filter((item) => !kept.has(pathOf(item)) && at.has(pathOf(item)));
  const wrong = search.filter((item) => !isEqual(item));
  const isScheduled = due.length === 0 || checks.some((row) => at.has(pathOf(row)));
  const writes: Write[] = [
    ...(isEqual(membership)
      ? []
      : at.has(pathOf(membership))
        ? [{ update: keyOfItem(membership), set: withoutKey(membership), when: "exists" } as const]
        : [{ put: membership, when: "absent" } as const]),
    ...wrong.map((put): Write => ({ put })),
    ...new Map(stray.map((item) => [pathOf(item), { delete: keyOfItem(item) }])).values(),
    ...(isScheduled ? [] : due.map((put): Write => ({ put }))),
  ];
  const names = { membership: !isEqual(membership), search: wrong.length + stray.length > 0, schedule: !isScheduled };
  const differences: Difference[] = Object.entries(names).flatMap(([name, isWrong]) =>
    isWrong ? [{ name, is: "wrong or missing", becomes: "as the member" }] : [],
  );
  return { writes, differences };
}

const keyOfItem = ({ pk, sk }: Key): Key => ({ pk, sk });
