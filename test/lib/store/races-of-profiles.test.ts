import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { keys } from "#lib/store/keys.ts";
import { keyOf } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import { copyToMembers } from "#lib/store/members/profile-copies.ts";
import { type SigningIn, signIn } from "#lib/store/sign-in.ts";
import * as users from "#lib/store/users.ts";
import { write } from "#lib/store/write.ts";
import { beforeWrite } from "../../support/before-write.ts";
import { startTable } from "../../support/direct.ts";
import { aCommunity, aMember } from "../../support/given.ts";

const test = startTable();
const now = new Date();

const anEmail = () => `${randomUUID()}@example.com`;

const accountOf = (email: string | undefined, over: Partial<SigningIn> = {}): SigningIn => ({
  sub: randomUUID(),
  accountName: "ana",
  username: undefined,
  email,
  first_name: undefined,
  last_name: undefined,
  isVerified: true,
  isInvited: true,
  ...over,
});

/** Signs an account in. `gone` are the accounts that were deleted. */
const enter = (account: SigningIn, gone: readonly SigningIn[] = [], table = test.table) =>
  signIn(table, account, { now, isGone: async (sub) => gone.some((one) => one.sub === sub) });

const entering = (account: SigningIn, gone?: readonly SigningIn[]) => () => enter(account, gone);

async function profileOf(userId: number): Promise<users.User> {
  const user = await users.find(test.table, userId);
  if (!user) throw new Error("There is no profile");
  return user;
}

/** The profile of an imported person. */
async function anImportedProfile(email: string): Promise<users.User> {
  const user = users.newUser({ sub: null, username: "ana", email }, now, Math.random);
  await write(test.table, users.profile(user, { ownsEmail: true }));
  return user;
}

it("a person whose profile is created during the sign-in that would take over another one keeps the created one", async () => {
  const email = anEmail();
  const imported = await anImportedProfile(email);
  const account = accountOf(email);
  const created = users.newUser({ sub: account.sub, username: "ana" }, now, Math.random);
  expect(await beforeWrite(test.client, () => users.add(test.table, created), entering(account))).toBe(created.id);
  expect(await profileOf(imported.id)).toMatchObject({ sub: null });
});

it("of two accounts that take over one profile at the same time, the first gets it", async () => {
  const email = anEmail();
  const imported = await anImportedProfile(email);
  const [first, second] = [accountOf(email), accountOf(email)];
  expect(await beforeWrite(test.client, entering(first), entering(second))).not.toBe(imported.id);
  expect(await profileOf(imported.id)).toMatchObject({ sub: first.sub });
});

it("a profile whose address changes during a takeover by its previous address is not taken over", async () => {
  const [before, after] = [anEmail(), anEmail()];
  const gone = accountOf(before);
  const userId = await enter(gone);
  const last = entering({ ...gone, email: after });
  expect(await beforeWrite(test.client, last, entering(accountOf(before), [gone]))).not.toBe(userId);
  expect(await profileOf(userId)).toMatchObject({ sub: gone.sub, email: after });
});

it("a sign-in of a deleted account does not change the profile that another account takes over meanwhile", async () => {
  const email = anEmail();
  const gone = accountOf(email);
  const userId = await enter(gone);
  const next = accountOf(email, { first_name: "Next" });
  let isRead = false;
  const table: typeof test.table = {
    ...test.table,
    async get(key) {
      if (!isRead && key.pk === keys.user(userId).pk) {
        isRead = true;
        await enter(next, [gone]);
      }
      return test.table.get(key);
    },
  };
  expect(await enter({ ...gone, first_name: "Gone" }, [gone], table)).not.toBe(userId);
  expect(await profileOf(userId)).toMatchObject({ sub: next.sub, first_name: "Next" });
});

it("a profile that gets two addresses at the same time is found by the last one only", async () => {
  const account = accountOf(undefined);
  const userId = await enter(account);
  const [first, last] = [anEmail(), anEmail()];
  await beforeWrite(test.client, entering({ ...account, email: first }), entering({ ...account, email: last }));
  expect(await users.idOfEmail(test.table, first)).toBeUndefined();
  expect(await users.idOfEmail(test.table, last)).toBe(userId);
  expect(await profileOf(userId)).toMatchObject({ email: last });
});

it("an address that another person gets during a sign-in stays theirs", async () => {
  const account = accountOf(undefined);
  const userId = await enter(account);
  const email = anEmail();
  const other = accountOf(email);
  await beforeWrite(test.client, entering(other), entering({ ...account, email }));
  expect(await users.idOfEmail(test.table, email)).toBe(await users.idOf(test.table, other.sub));
  expect(await profileOf(userId)).toMatchObject({ email: "" });
});

/** A member whose profile has got another name since their copy was made. */
async function aRenamedMember() {
  const account = accountOf(anEmail());
  const userId = await enter(account);
  const before = await profileOf(userId);
  const member = await aMember(test.table, await aCommunity(test.table), { user: users.shownPerson(before) });
  await enter({ ...account, first_name: "Renamed" });
  const memberNow = () => members.find(test.table, member.community_id, member.id);
  return { member, memberNow, before, after: await profileOf(userId) };
}

it("a copy of a profile does not replace the copy of a newer one", async () => {
  const { memberNow, before, after } = await aRenamedMember();
  await copyToMembers(test.table, after, now);
  await copyToMembers(test.table, before, now);
  expect((await memberNow())?.user.first_name).toBe("Renamed");
});

it("a copy of a profile raises the version that an edit has raised meanwhile", async () => {
  const { member, memberNow, after } = await aRenamedMember();
  const edited = { version: member.version + 1, notes: "Edited" };
  await beforeWrite(
    test.client,
    () => write(test.table, [{ update: keyOf(member), set: edited, when: "exists" }]),
    () => copyToMembers(test.table, after, now),
  );
  const version = edited.version + 1;
  expect(await memberNow()).toMatchObject({ ...edited, version, user: { first_name: "Renamed" } });
});
