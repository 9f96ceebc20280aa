import { beforeAll, describe, expect, it } from "vitest";
import { invite } from "#lib/store/admin-access.ts";
import { keys } from "#lib/store/keys.ts";
import { proveMailbox, signIn } from "#lib/store/sign-in.ts";
import * as users from "#lib/store/users.ts";
import { handler as createPortalSession } from "../../../functions/checkout/create-portal-session.ts";
import { handler as createCommunity } from "../../../functions/communities/create.ts";
import { handler as updateCommunity } from "../../../functions/communities/update.ts";
import { erasing as erasingMe } from "../../../functions/me/erase.ts";
import { handler as show } from "../../../functions/members/show.ts";
import { erasing } from "../../../functions/users/erase.ts";
import { fromNow } from "../../support/clock.ts";
import { aCommunity, aMember } from "../../support/given.ts";
import { expectNothingOpen } from "../../support/money/checks.ts";
import { forMember } from "../../support/money/handlers.ts";
import { keptOf } from "../../support/money/stripe.ts";
import { startMoney } from "../../support/money.ts";

const money = startMoney();

const erase = (id: number, dry_run = false) =>
  money.call(erasing(money.outside), { params: { id }, body: { dry_run } });

/** Somebody with an address of their own. */
async function aPerson() {
  const { id } = await money.aPerson();
  const user = await users.find(money.table, id);
  if (!user) throw new Error("There is no profile");
  return user;
}

describe("after an erasure", () => {
  it("after an erasure, importing the user id is refused, and importing the address creates a new person", async () => {
    const added = users.newUser(
      { sub: "sub-import", username: "iris", email: "iris@example.com" },
      new Date(),
      Math.random,
    );
    await users.add(money.table, added, { ownsEmail: true });
    await erase(added.id);

    const community = await money.aPricedCommunity();
    const status = "canceled";
    const byId = { status, user: { id: added.id, email: "iris@example.com", first_name: "Iris" } };
    expect(await money.importMember(community, byId)).toMatchObject({
      outcome: "refused",
      errors: [{ pointer: "/members/0/user/id", code: "person_erased" }],
    });
    const other = await money.importMember(community, { status, user: { email: "iris@example.com" } });
    expect(other).toMatchObject({ outcome: "created" });
    const { body } = await money.call(show, { params: { community_id: community.id, id: other?.id } });
    expect(JSON.stringify(body)).toContain('"username":');
    expect(JSON.stringify(body)).not.toContain(String(added.id));
  });

  it("an erasure deletes the admin invitation and the proof of the mailbox", async () => {
    const { id, sub } = await aPerson();
    await invite(money.table, String(sub), new Date());
    await proveMailbox(money.table, String(sub), new Date());
    await erase(id);
    expect(await money.table.get(keys.adminAccess(String(sub)))).toBeUndefined();
    expect(await money.table.get(keys.mailboxProof(String(sub)))).toBeUndefined();
  });

  it("after an erasure, a proof of the mailbox and an admin invitation cannot be written", async () => {
    const { id, sub } = await aPerson();
    await erase(id);
    const refused = { code: "invalid_token" };
    await expect(proveMailbox(money.table, String(sub), new Date())).rejects.toMatchObject(refused);
    await expect(invite(money.table, String(sub), new Date())).rejects.toMatchObject(refused);
    expect(await money.table.get(keys.mailboxProof(String(sub)))).toBeUndefined();
    expect(await money.table.get(keys.adminAccess(String(sub)))).toBeUndefined();
  });

  it("a sign-in with the account of an erased person is refused and creates no profile", async () => {
    const { id, sub } = await aPerson();
    await erase(id);
    const account = { sub: sub ?? "", accountName: "ana", username: "ana", email: undefined };
    const person = { ...account, first_name: "Ana", last_name: "Ruiz", isVerified: true, isInvited: false };
    const options = { now: new Date(), isGone: async () => false };
    await expect(signIn(money.table, person, options)).rejects.toMatchObject({ code: "invalid_token" });
    const caller = { id: 0, sub: sub ?? "", username: "ana" };
    await expect(users.ensure(money.table, caller, new Date())).rejects.toMatchObject({ code: "invalid_token" });
  });

  it("the sub of an erased person is refused for longer than the hour for which a token is valid", async () => {
    const { id, sub } = await aPerson();
    const erasedAt = Date.now();
    await erase(id);
    const item = await money.table.get(keys.subject(String(sub)));
    expect(item).toMatchObject({ user_id: id, erased_at: expect.any(String) });
    expect(Number(item?.expires_at) * 1000).toBeGreaterThan(erasedAt + 2 * 60 * 60 * 1000);
  });

  it("an erased person cannot open a checkout or the billing portal", async () => {
    const community = await money.aPricedCommunity();
    const member = await money.aSubscriber(community);
    await money.stripe.subscriptions.cancel(member.stripe_subscription_id ?? "");
    await money.deliverAll();
    expect((await erase(member.user.id)).status).toBe(200);
    const refused = { status: 401, body: { code: "invalid_token" } };
    expect(await money.openCheckout(community, member.user)).toMatchObject(refused);
    const portal = { params: { community_id: community.id }, as: { id: member.user.id }, body: {} };
    expect(await money.answer(createPortalSession, portal)).toMatchObject(refused);
  });

  it("an erased person cannot become the owner of a community", async () => {
    const { id: owner_id } = await aPerson();
    const { id } = await aCommunity(money.table);
    await erase(owner_id);
    const refused = { status: 409, body: { code: "person_erased" } };
    const created = await money.call(createCommunity, { body: { community: { name: "Mezcal", owner_id } } });
    expect(created).toMatchObject(refused);
    const updated = await money.call(updateCommunity, { params: { id }, body: { community: { owner_id } } });
    expect(updated).toMatchObject(refused);
  });

  it("a checkout that is completed during an erasure is canceled and refunded before the erasure ends", async () => {
    const community = await money.aPricedCommunity();
    const person = await aPerson();
    const { body } = await money.openCheckout(community, person);
    let isCompleted = false;
    const outside = {
      ...money.outside,
      async record(userId: number, at: string) {
        await money.outside.record(userId, at);
        if (!isCompleted) await money.complete(body?.url);
        isCompleted = true;
      },
    };
    const request = { params: { id: person.id }, body: { dry_run: false } };
    const first = await money.call(erasing(outside), request);
    await money.deliverAll();
    if (first.status !== 200) await money.reconcile(fromNow({ minutes: 10 }));

    const item = await money.table.get(keys.customerOf(person.id, community.id));
    const customer = String(item?.customer_id);
    expect(await money.stripe.customers.retrieve(customer)).toMatchObject({ deleted: true });
    expect((await money.subscriptionsOf(customer)).map(({ status }) => status)).toEqual(["canceled"]);
    expect(keptOf(await money.chargesOf(customer))).toBe(0);
    await expectNothingOpen(money.table, { id: Number(item?.member_id) });
  });
});

describe("an erasure is blocked", () => {
  const blockersOf = async (id: number) => {
    const { body, status } = await erase(id);
    const dry = (await erase(id, true)).body;
    expect(dry).toMatchObject({ erased: false, dry_run: true, blockers: body?.blockers });
    expect({ status, code: body?.code }).toEqual({ status: 409, code: "erasure_blocked" });
    expect((await users.find(money.table, id))?.erased_at).toBeUndefined();
    return body?.blockers;
  };

  it("an erasure is blocked by a live subscription until it has ended", async () => {
    const member = await money.aSubscriber(await money.aPricedCommunity());
    const place = { community_id: member.community_id, member_id: member.id };
    expect(await blockersOf(member.user.id)).toEqual([{ code: "live_subscription", ...place }]);
    await money.stripe.subscriptions.cancel(member.stripe_subscription_id ?? "");
    await money.deliverAll();
    expect((await erase(member.user.id)).status).toBe(200);
  });

  it("an erasure is blocked by a foreign live subscription of the same Stripe customer", async () => {
    const community = await money.aPricedCommunity();
    const member = await money.aSubscriber(community);
    await money.stripe.subscriptions.cancel(member.stripe_subscription_id ?? "");
    const customer = member.stripe_customer_id;
    await money.control("subscriptions", { customer, price: community.tier.stripe_price_id });
    await money.deliverAll();
    const place = { community_id: community.id, member_id: member.id };
    expect(await blockersOf(member.user.id)).toEqual([{ code: "foreign_subscription", ...place }]);
  });

  it("an erasure is blocked by a live subscription if only the member's record names the customer", async () => {
    const community = await money.aPricedCommunity();
    const { id: stripe_customer_id } = await money.stripe.customers.create({});
    await money.control("subscriptions", { customer: stripe_customer_id, price: community.tier.stripe_price_id });
    const user = await aPerson();
    const member = await aMember(money.table, community, { user, stripe_customer_id });
    const place = { community_id: community.id, member_id: member.id };
    expect(await blockersOf(user.id)).toEqual([{ code: "foreign_subscription", ...place }]);
  });

  it("an erasure is blocked by an open dispute and not by a lost one", async () => {
    const member = await money.aSubscriber(await money.aPricedCommunity());
    const [charge] = await money.chargesOf(member.stripe_customer_id);
    await money.control("disputes", { charge: charge?.id });
    await money.stripe.subscriptions.cancel(member.stripe_subscription_id ?? "");
    await money.deliverAll();
    const place = { community_id: member.community_id, member_id: member.id };
    expect(await blockersOf(member.user.id)).toEqual([{ code: "open_dispute", ...place }]);
    await money.control("disputes", { charge: charge?.id, status: "lost" });
    expect((await erase(member.user.id)).status).toBe(200);
  });

  it.each(["pending", "requires_action"])("an erasure is blocked by a refund with the status %s", async (status) => {
    const member = await money.aSubscriber(await money.aPricedCommunity());
    const [charge] = await money.chargesOf(member.stripe_customer_id);
    await money.control("faults", { refund_status: status });
    await money.control("refund", { charge: charge?.id, amount: 100 });
    await money.control("faults", { refund_status: "succeeded" });
    await money.stripe.subscriptions.cancel(member.stripe_subscription_id ?? "");
    await money.deliverAll();
    const place = { community_id: member.community_id, member_id: member.id };
    expect(await blockersOf(member.user.id)).toEqual([{ code: "pending_payment", ...place }]);
  });

  it("an erasure is blocked by a payment that has not settled", async () => {
    await money.control("faults", { settle_days: 4 });
    const member = await money.aSubscriber(await money.aPricedCommunity());
    await money.control("faults", { settle_days: 0 });
    expect(await money.chargesOf(member.stripe_customer_id)).toMatchObject([{ status: "pending" }]);
    await money.stripe.subscriptions.cancel(member.stripe_subscription_id ?? "");
    await money.deliverAll();
    const place = { community_id: member.community_id, member_id: member.id };
    expect(await blockersOf(member.user.id)).toEqual([{ code: "pending_payment", ...place }]);
  });

  it("an erasure is blocked by an owned community until its owner changes", async () => {
    const { id: community_id, owner } = await aCommunity(money.table);
    const blocker = { code: "owns_community", community_id, member_id: null };
    expect(await blockersOf(owner.id)).toEqual([blocker]);
    const other = await aPerson();
    const call = { params: { id: community_id }, body: { community: { owner_id: other.id } } };
    expect((await money.call(updateCommunity, call)).status).toBe(200);
    expect((await erase(owner.id)).status).toBe(200);
    expect(await blockersOf(other.id)).toEqual([blocker]);
  });
});

describe("erasing oneself", () => {
  const now = new Date("2026-11-21T12:00:00.000Z");
  const seconds = now.getTime() / 1000;
  const eraseMe = async (id: number, authTime: number | undefined, dry_run: boolean) => {
    const as = { id, authTime };
    return money.answer(erasingMe(money.outside), { as, body: { dry_run } }, money.platform({ now: () => now }));
  };

  it.each([undefined, seconds - 601])("erasing oneself is refused after a sign-in at %s", async (authTime) => {
    const { id } = await aPerson();
    const { status, body, headers } = await eraseMe(id, authTime, true);
    expect({ status, code: body?.code }).toEqual({ status: 401, code: "insufficient_user_authentication" });
    expect(headers["www-authenticate"]).toContain('error="insufficient_user_authentication"');
    expect(headers["www-authenticate"]).toContain('max_age="600"');
  });

  it("erasing oneself within ten minutes of a sign-in succeeds, and a repetition returns the same response", async () => {
    const { id } = await aPerson();
    const first = await eraseMe(id, seconds - 600, false);
    expect(first).toMatchObject({ status: 200, body: { erased: true, blockers: [] } });
    expect((await eraseMe(id, seconds, false)).body).toEqual(first.body);
  });

  it("erasing oneself without a subscription keeps the member's record without a name", async () => {
    const community = await money.aPricedCommunity();
    const member = await money.aSubscriber(community);
    await money.stripe.subscriptions.cancel(member.stripe_subscription_id ?? "");
    await money.deliverAll();
    expect((await eraseMe(member.user.id, seconds, false)).status).toBe(200);
    const { body } = await money.call(show, forMember(member));
    expect(body).toMatchObject({ user: { username: "erased" }, lifetime_spend_cents: 2500, status: "canceled" });
  });
});

describe("an unknown user", () => {
  let answered: Awaited<ReturnType<typeof erase>>;
  beforeAll(async () => {
    answered = await erase(987654321);
  });

  it("the erasure of an unknown user returns 404", () => {
    expect(answered.status).toBe(404);
  });
});
