import * as v from "valibot";
import type { MemberImport } from "../../domain/member-import.ts";
import { addressHash } from "../address-hash.ts";
import { Customer } from "../customers.ts";
import type { Item } from "../expression.ts";
import { type Key, keys } from "../keys.ts";
import type { Reader } from "../table.ts";
import { User, userIdOf } from "../users.ts";
import { fromItem, type StoredMember } from "./item.ts";
import { Membership } from "./memberships.ts";
import { Link } from "./sync.ts";

/** The stored people, customers and tiers that the records of an import refer to. */
export type StoredState = {
  readonly user: (userId: number) => User | undefined;
  /** User ids by email address. */
  readonly ownerOf: (email: string) => number | undefined;
  /** The person whom the community has imported with an email address, which may have changed since. */
  readonly importedAs: (email: string) => number | undefined;
  /** The person of a record, by id or by email address. */
  readonly idOf: (user: MemberImport["user"]) => number | undefined;
  readonly member: (userId: number) => StoredMember | undefined;
  /** The id of a person's current or future member, and their Stripe customer. */
  readonly customer: (userId: number) => Customer | undefined;
  readonly link: (customerId: string) => Link | undefined;
  /** Tiers that are not marked as in use. They may have been deleted. */
  readonly unusedTiers: readonly number[];
};

/** Three round trips for any number of records: people, then their memberships and customers, then their members. */
export async function readStored(
  table: Reader,
  communityId: number,
  records: readonly MemberImport[],
): Promise<StoredState> {
  const items = new Map<string, Item>();
  const nameOf = ({ pk, sk }: Key) => `${pk} ${sk}`;
  const at = (key: Key) => items.get(nameOf(key));
  const read = async (itemKeys: readonly Key[]) => {
    for (const item of await table.getAll(itemKeys)) items.set(`${String(item.pk)} ${String(item.sk)}`, item);
  };
  const userIdAt = (key: Key) => {
    const item = at(key);
    return item && userIdOf(item);
  };
  const ownerOf = (email: string) => userIdAt(keys.email(email));
  const importedAs = (email: string) => userIdAt(keys.importedAs(addressHash(email), communityId));
  const idOf = ({ id, email }: MemberImport["user"]) =>
    id ?? (email === undefined ? undefined : (ownerOf(email) ?? importedAs(email)));
  const found = <S extends v.GenericSchema>(schema: S, key: Key): v.InferOutput<S> | undefined => {
    const item = at(key);
    return item && v.parse(schema, item);
  };
  const membership = (userId: number) => found(Membership, keys.membership(userId, communityId));

  await read(
    records.flatMap(({ user: { id, email }, stripe_customer_id, tier_id }) => [
      keys.tier(communityId, tier_id),
      ...(id === undefined ? [] : [keys.user(id)]),
      ...(email === undefined ? [] : [keys.email(email), keys.importedAs(addressHash(email), communityId)]),
      ...(stripe_customer_id === null ? [] : [keys.customer(stripe_customer_id)]),
    ]),
  );
  const userIds = records.flatMap(({ user }) => idOf(user) ?? []);
  await read(
    userIds.flatMap((id) => [keys.user(id), keys.membership(id, communityId), keys.customerOf(id, communityId)]),
  );
  const memberIds = userIds.flatMap((id) => membership(id)?.member_id ?? []);
  if (memberIds.length > 0) await read(memberIds.map((id) => keys.member(communityId, id)));

  const tierIds = new Set(records.map(({ tier_id }) => tier_id));
  return {
    ownerOf,
    importedAs,
    idOf,
    user: (userId) => found(User, keys.user(userId)),
    member(userId) {
      const item = at(keys.member(communityId, membership(userId)?.member_id ?? 0));
      return item && fromItem(item);
    },
    customer: (userId) => found(Customer, keys.customerOf(userId, communityId)),
    link: (customerId) => found(Link, keys.customer(customerId)),
    unusedTiers: [...tierIds].filter((id) => at(keys.tier(communityId, id))?.in_use !== true),
  };
}
