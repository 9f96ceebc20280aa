import { beforeAll, expect, it } from "vitest";
import { copyToMembers } from "#lib/store/members/profile-copies.ts";
import { newUser, profile } from "#lib/store/users.ts";
import { write } from "#lib/store/write.ts";
import { type Count, counted } from "../support/counting.ts";
import { startTable } from "../support/direct.ts";
import { aCommunity, aMember } from "../support/given.ts";

const test = startTable();
let count: { take(): Count };
beforeAll(() => {
  count = counted(test.client);
});

it("a join costs 28 write units, of which the search entries cost 8", async () => {
  const community = await aCommunity(test.table);
  count.take();
  await aMember(test.table, community, { user: { first_name: "Kamala", last_name: "Ulloa" } });
  expect(count.take().writeUnits).toBe(28);
});

it("a change of the last name costs 26 write units, of which the search entries cost 12", async () => {
  const community = await aCommunity(test.table);
  const member = await aMember(test.table, community, { user: { first_name: "Kamala", last_name: "Ulloa" } });
  const now = new Date();
  const { id, username, email } = member.user;
  const person = { sub: null, username, email, first_name: "Kamala", last_name: "Peña" };
  const user = { ...newUser(person, now, Math.random), id };
  await write(test.table, profile(user));
  count.take();
  await copyToMembers(test.table, user, now);
  expect(count.take().writeUnits).toBe(26);
});
