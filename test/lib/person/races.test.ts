import { expect, it } from "vitest";
import { linkOf } from "#lib/billing/operations.ts";
import { copyProfile } from "#lib/billing/profile.ts";
import { billingOf } from "#lib/billing/stripe.ts";
import { syncMember } from "#lib/billing/sync.ts";
import { sweep } from "#lib/person/sweep.ts";
import * as erasures from "#lib/store/erasures.ts";
import { keys } from "#lib/store/keys.ts";
import { keyOf, type StoredMember } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import * as memberships from "#lib/store/members/memberships.ts";
import { queryAll } from "#lib/store/query-all.ts";
import { type SigningIn, signIn } from "#lib/store/sign-in.ts";
import * as users from "#lib/store/users.ts";
import { write } from "#lib/store/write.ts";
import { handler as block } from "../../../functions/members/block.ts";
import { handler as showMember } from "../../../functions/members/show.ts";
import { handler as update } from "../../../functions/members/update.ts";
import { erasing } from "../../../functions/users/erase.ts";
import { beforeWrite } from "../../support/before-write.ts";
import { aCommunity, aMember, aTeamMember } from "../../support/given.ts";
import { forMember } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();
const sentinel = "Sentinel Street 1";
const address = { name: "", line1: sentinel, line2: "", city: "Oaxaca", state: "", postal_code: "", country: "MX" };

const community = setUp(() => money.aPricedCommunity());

const context = () => ({
  table: money.table,
  billing: billingOf(async () => money.stripe)(() => 60_000),
  now: new Date(),
});

const erase = (userId: number) =>
  money.call(erasing(money.outside), { params: { id: userId }, body: { dry_run: false } });

async function profileOf(userId: number): Promise<users.User> {
  const user = await users.find(money.table, userId);
  if (!user) throw new Error("There is no profile");
  return user;
}

/** Marks a person as erased, as the first step of an erasure does. */
async function mark(userId: number): Promise<users.User> {
  const user = await profileOf(userId);
  const erasure = await erasures.begin(money.table, user, {}, undefined);
  for (const membership of await memberships.ofUser(money.table, userId))
    await erasures.markMembership(money.table, erasure, membership);
  return user;
}

/** A member with a profile who was imported, and whom nobody has signed in to. */
async function anImportedMember(over: Parameters<typeof aMember>[2] = {}): Promise<StoredMember> {
  const member = await aMember(money.table, await aCommunity(money.table), over);
  const now = new Date();
  const imported = { ...users.newUser({ ...member.user, sub: null }, now, Math.random), id: member.user.id };
  await write(money.table, users.profile(imported, { ownsEmail: true }));
  return member;
}

/** A subscriber with an address here and at Stripe. */
async function aShippedSubscriber(): Promise<StoredMember> {
  const member = await money.aSubscriber(community);
  const { name, ...rest } = address;
  await money.stripe.customers.update(member.stripe_customer_id ?? "", {
    shipping: { name: name || "-", address: rest },
  });
  const synced = await syncMember(context(), linkOf(member));
  expect(synced?.shipping_address?.line1).toBe(sentinel);
  return synced ?? member;
}

it("a synchronization that read the member before the sweep does not write the address back", async () => {
  const member = await aShippedSubscriber();
  const { id, sub } = await mark(member.user.id);
  await beforeWrite(
    money.client,
    () => sweep(money.table, { id, sub }),
    () => syncMember(context(), linkOf(member)),
  );
  expect((await money.memberNow(member)).shipping_address).toBeNull();
});

it("a synchronization that read the member before the mark does not write the address back", async () => {
  const member = await aShippedSubscriber();
  await beforeWrite(
    money.client,
    async () => {
      const { id, sub } = await mark(member.user.id);
      await sweep(money.table, { id, sub });
    },
    () => syncMember(context(), linkOf(member)),
  );
  // The subscription is live: Stripe tells its end.
  const after = await money.memberNow(member);
  expect(after).toMatchObject({ shipping_address: null, status: "active", erased_at: expect.any(String) as string });
});

it("a synchronization does not restore card details and refund notes that the sweep has removed", async () => {
  const member = await money.aSubscriber(community);
  const { id, sub } = await mark(member.user.id);
  await sweep(money.table, { id, sub });
  await syncMember(context(), linkOf(member));
  const items = await queryAll(money.table, { pk: keys.memberParent(member.id).pk });
  const texts = JSON.stringify(items);
  expect(texts).toContain('"charges"');
  expect(texts).not.toContain("last4");
});

it("a sweep does not write back a payment that a synchronization has changed since the sweep read it", async () => {
  const member = await money.aSubscriber(community);
  const { id, sub } = await mark(member.user.id);
  const { data } = await money.stripe.charges.list({ customer: member.stripe_customer_id ?? "" });
  await beforeWrite(
    money.client,
    async () => {
      await money.stripe.refunds.create({ charge: data[0]?.id ?? "", amount: 100 });
      await syncMember(context(), linkOf(member));
    },
    () => sweep(money.table, { id, sub }),
  );
  const texts = JSON.stringify(await queryAll(money.table, { pk: keys.memberParent(member.id).pk }));
  expect(texts).toContain('"amount_refunded_cents":100');
  expect(texts).not.toContain("last4");
});

it("an edit that was decided before the erasure returns 409 and stores nothing", async () => {
  const member = await anImportedMember();
  const { status, body } = await beforeWrite(
    money.client,
    async () => {
      const { id, sub } = await mark(member.user.id);
      await sweep(money.table, { id, sub });
    },
    () => money.call(update, { ...forMember(member), body: { member: { metadata: { notes: sentinel } } } }),
  );
  expect({ status, code: body?.code }).toEqual({ status: 409, code: "person_erased" });
  expect((await money.memberNow(member)).notes).toBe("");
});

it("a block that was decided before the erasure returns 409 and stores no reason", async () => {
  const member = await anImportedMember();
  const { status } = await beforeWrite(
    money.client,
    () => mark(member.user.id),
    () => money.call(block, { ...forMember(member), body: { reason: sentinel } }),
  );
  expect(status).toBe(409);
  expect(await money.memberNow(member)).toMatchObject({ is_blocked: false, block_reason: null });
});

it("a write of a personal attribute of an erased member is refused, whatever the condition of the write", async () => {
  const member = await anImportedMember();
  await mark(member.user.id);
  const set = { notes: sentinel };
  for (const when of ["exists", { is: { id: member.id } }, { unless: { id: 1 } }] as const)
    await expect(write(money.table, [{ update: keyOf(member), set, when }])).rejects.toMatchObject({
      name: "Conflict",
    });
  const put = { ...keys.user(member.user.id), ...member.user };
  await expect(write(money.table, [{ put }])).rejects.toMatchObject({ name: "Conflict" });
  expect(await money.memberNow(member)).toMatchObject({ notes: "" });
});

const signingIn = (email: string): SigningIn => ({
  sub: `sub-${Math.random()}`,
  accountName: "ana",
  username: "ana",
  email,
  first_name: sentinel,
  last_name: "Ruiz",
  isVerified: true,
  isInvited: true,
});

it("a sign-in that links an imported profile during its erasure gets a new profile", async () => {
  const { user } = await anImportedMember();
  const person = signingIn(user.email);
  const options = { now: new Date(), isGone: async () => false };
  const id = await beforeWrite(
    money.client,
    () => mark(user.id),
    () => signIn(money.table, person, options),
  );
  expect(id).not.toBe(user.id);
  expect(await profileOf(user.id)).toMatchObject({ username: "erased", first_name: "", email: "", sub: null });
  expect(await profileOf(id)).toMatchObject({ sub: person.sub, first_name: sentinel });
});

it("the erasure of an imported profile that is being linked erases the person who linked it", async () => {
  const { user } = await anImportedMember();
  const person = signingIn(user.email);
  const options = { now: new Date(), isGone: async () => false };
  const { status } = await beforeWrite(
    money.client,
    () => signIn(money.table, person, options),
    () => erase(user.id),
  );
  expect(status).toBe(200);
  expect(await profileOf(user.id)).toMatchObject({ username: "erased", first_name: "" });
  await expect(signIn(money.table, person, options)).rejects.toMatchObject({ code: "invalid_token" });
  expect(money.deletedAccounts).toContain(person.sub);
});

it("a late copy of a profile does not overwrite a newer one", async () => {
  const member = await anImportedMember();
  const rename = (first_name: string) => async () => {
    const user = await profileOf(member.user.id);
    const updated_at = new Date(Date.parse(user.updated_at) + 1).toISOString();
    await write(money.table, [{ update: keys.user(user.id), set: { first_name, updated_at }, when: "exists" }]);
  };
  await rename("Older")();
  await beforeWrite(
    money.client,
    async () => {
      await rename("Newer")();
      await copyProfile(context(), member.user.id);
      // Another writer, so that the late copy reads the member again.
      const { version } = await money.memberNow(member);
      await write(money.table, [{ update: keyOf(member), set: { version: version + 1 }, when: "exists" }]);
    },
    () => copyProfile(context(), member.user.id),
  );
  expect((await money.memberNow(member)).user.first_name).toBe("Newer");
});

it("a profile that was read before the erasure is copied to no search item afterwards", async () => {
  const member = await anImportedMember();
  const user = await profileOf(member.user.id);
  const set = { first_name: "Sentinelia", updated_at: new Date(Date.parse(user.updated_at) + 1).toISOString() };
  await write(money.table, [{ update: keys.user(user.id), set, when: "exists" }]);
  await beforeWrite(
    money.client,
    async () => void (await erase(user.id)),
    () => copyProfile(context(), user.id),
  );
  expect((await money.memberNow(member)).user.first_name).toBe("");
  const search = await queryAll(money.table, { pk: keys.memberSearch(member.community_id, "", 0).pk });
  expect(search).toEqual([]);
});

it("20 concurrent erasures of one person leave one entry in the activity of each membership", async () => {
  const member = await anImportedMember();
  const answers = await Promise.all(Array.from({ length: 20 }, () => erase(member.user.id)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const entries = await queryAll(money.table, { pk: keys.activity(member.id, 0).pk, prefix: "ACTIVITY#" });
  expect(entries.map(({ action }) => action)).toEqual(["canceled", "erased"]);
});

it("a new member is not added once the person is erased", async () => {
  const person = await money.aPerson();
  const { body } = await money.openCheckout(community, person);
  await money.complete(body?.url);
  await beforeWrite(
    money.client,
    () => mark(person.id),
    () => money.deliverAll(),
  );
  const item = await money.table.get(keys.customerOf(person.id, community.id));
  expect(await members.find(money.table, community.id, Number(item?.member_id))).toBeUndefined();
});

it("a person whose erasure was interrupted after the mark has no role in a team", async () => {
  const [member, person] = [await aMember(money.table, community), await money.aPerson()];
  await aTeamMember(money.table, community, { role: "manager", user: person });
  const asPerson = { ...forMember(member), as: person };
  expect(await money.call(showMember, asPerson)).toMatchObject({ status: 200 });

  const fails = async () => {
    throw new Error("The bucket cannot be reached");
  };
  const params = { id: person.id };
  const interrupted = erasing({ ...money.outside, record: fails });
  expect((await money.call(interrupted, { params, body: { dry_run: false } })).status).toBeGreaterThanOrEqual(500);
  const body = { member: { metadata: { notes: "late" } } };
  expect((await money.call(showMember, asPerson)).status).toBe(403);
  expect((await money.call(update, { ...asPerson, body })).status).toBe(403);
  expect(await money.table.get(keys.teamMember(community.id, person.id))).toBeUndefined();
  expect(await money.table.get(keys.teamOf(person.id, community.id))).toBeUndefined();
});
