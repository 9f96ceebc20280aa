import { randomUUID } from "node:crypto";
import { linkAgain } from "#lib/store/customers.ts";
import type { Item } from "#lib/store/expression.ts";
import { type Key, keys } from "#lib/store/keys.ts";
import * as users from "#lib/store/users.ts";
import { write } from "#lib/store/write.ts";
import { startTable } from "../../support/direct.ts";
import { itLoses, type LostRace } from "./races.ts";

const test = startTable();

/** A customer whom the table does not know, of a person who has a reserved id if `isReserved`. */
async function lost({ isReserved = false } = {}) {
  const person = users.newUser(
    { sub: randomUUID(), username: "ana", email: "ana@example.com" },
    new Date(),
    Math.random,
  );
  await users.add(test.table, person);
  const [community_id, member_id, user_id] = [person.id + 1, person.id + 2, person.id];
  const place = keys.customerOf(user_id, community_id);
  if (isReserved) await write(test.table, [{ put: { ...place, member_id, customer_id: null } }]);
  const link = { customer_id: `cus_${randomUUID()}`, community_id, member_id, user_id };
  return { link, place, work: () => linkAgain(test.table, link) };
}

const put = (item: Key & Item) => () => write(test.table, [{ put: item }]);

const races: readonly LostRace[] = [
  [
    "linking a lost customer who is linked meanwhile",
    async () => {
      const { link, work } = await lost();
      return { work, meanwhile: put({ ...keys.customer(link.customer_id), ...link }) };
    },
  ],
  [
    "linking a lost customer of a person who opens a checkout meanwhile",
    async () => {
      const { link, place, work } = await lost();
      return { work, meanwhile: put({ ...place, member_id: link.member_id + 1, customer_id: null }) };
    },
  ],
  ...(["customer_id", "member_id"] as const).map(
    (name): LostRace => [
      `linking a lost customer of a person whose ${name} changes meanwhile`,
      async () => {
        const { place, work } = await lost({ isReserved: true });
        const set = { [name]: name === "member_id" ? 7 : "cus_other" };
        return { work, meanwhile: () => write(test.table, [{ update: place, set, when: "exists" }]) };
      },
    ],
  ),
  [
    "linking a lost customer whose member id is taken meanwhile",
    async () => {
      const { link, work } = await lost();
      return { work, meanwhile: put({ ...keys.memberParent(link.member_id), community_id: 1 }) };
    },
  ],
  [
    "linking a lost customer of a person who is erased meanwhile",
    async () => {
      const { link, work } = await lost();
      return { work, meanwhile: put({ ...keys.erasure(link.user_id), user_id: link.user_id }) };
    },
    { code: "person_erased" },
  ],
];
itLoses(test, races);
