import { describe, expect, it } from "vitest";
import * as members from "#lib/contract/members.ts";
import * as users from "#lib/contract/users.ts";
import { addressHash } from "#lib/store/address-hash.ts";
import { keys } from "#lib/store/keys.ts";
import { signIn } from "#lib/store/sign-in.ts";
import { write } from "#lib/store/write.ts";
import { admin, startApi } from "../support/api.ts";
import { aCommunity } from "../support/given.ts";
import { setUp } from "../support/set-up.ts";

const api = startApi();
const community = setUp(() => aCommunity(api.table));
const params = () => ({ community_id: community.id });

let next = 1;

const importing = async (...records: readonly unknown[]) =>
  (await api.call(members.importBatch, { as: admin, params: params(), body: { members: records } })).body.data;

const outcomesOf = async (...records: readonly unknown[]) =>
  (await importing(...records)).map(({ outcome, errors: [error] = [] }) =>
    error ? `${error.pointer} ${error.code}` : outcome,
  );

const show = async (id: number) => (await api.call(members.show, { as: admin, params: { ...params(), id } })).body;

const signingIn = (sub: string, email: string) => {
  const names = { username: undefined, first_name: undefined, last_name: undefined };
  const account = { ...names, sub, accountName: sub, email, isVerified: true, isInvited: true };
  return signIn(api.table, account, { now: new Date(), isGone: async () => false });
};

/** A record that was imported, and whose person has changed their address since. */
async function whoHasMoved() {
  const email = `moved${next++}@example.com`;
  const record = {
    user: { email },
    tier_id: community.tier.id,
    status: "active",
    created_at: "2019-05-01T00:00:00.000Z",
    current_period_start: "2026-11-01T00:00:00.000Z",
    current_period_end: "2026-12-01T00:00:00.000Z",
  };
  const [imported] = await importing(record);
  const sub = `sub of ${email}`;
  await signingIn(sub, email);
  const moved = `new.${email}`;
  return { record, email, moved, id: imported?.id ?? 0, userId: await signingIn(sub, moved) };
}

describe("a record of a person who has changed their address since it was imported", () => {
  it("the same record is of the same member, and a corrected one updates them", async () => {
    const { record, id, userId } = await whoHasMoved();
    expect((await show(id)).user).toMatchObject({ id: userId });
    expect(await importing(record)).toEqual([{ index: 0, id, outcome: "unchanged" }]);
    expect(await importing({ ...record, status: "past_due" })).toEqual([{ index: 0, id, outcome: "updated" }]);
    expect(await show(id)).toMatchObject({ status: "past_due", user: { id: userId } });
  });

  it("a member who has been blocked stays the only one", async () => {
    const { record, id } = await whoHasMoved();
    await api.call(members.block, { as: admin, params: { ...params(), id }, body: {} });
    expect(await outcomesOf({ ...record, status: "past_due" })).toEqual(["/members/0 already_a_member"]);
  });

  it("records with the address of the import and with the new one are of one person", async () => {
    const { record, moved } = await whoHasMoved();
    const now = { ...record, user: { email: moved }, status: "past_due" };
    expect(await outcomesOf(now, record)).toEqual(["updated", "/members/1/user duplicate"]);
  });

  it("the record is refused once somebody else has the address", async () => {
    const { record, email } = await whoHasMoved();
    await signingIn(`other of ${email}`, email);
    expect(await outcomesOf(record)).toEqual(["/members/0/user/email other_user"]);
  });

  it("an erasure deletes the item that finds them by the address", async () => {
    const { record, moved, email, userId } = await whoHasMoved();
    await importing({ ...record, user: { email: moved }, status: "past_due" });
    const items = () =>
      api.table.getAll([email, moved].map((address) => keys.importedAs(addressHash(address), community.id)));
    expect(await items()).toHaveLength(2);
    await api.call(users.erase, { as: admin, params: { id: userId }, body: { dry_run: false } });
    expect(await items()).toEqual([]);
  });

  it("an erasure keeps the item of an address that finds somebody else", async () => {
    const { email, userId } = await whoHasMoved();
    const item = { ...keys.importedAs(addressHash(email), community.id), user_id: userId + 1 };
    await write(api.table, [{ put: item }]);
    await api.call(users.erase, { as: admin, params: { id: userId }, body: { dry_run: false } });
    expect(await api.table.get(keys.importedAs(addressHash(email), community.id))).toEqual(item);
  });
});
