import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import type { Billing } from "#lib/billing/stripe.ts";
import type { Endpoint } from "#lib/http/handler.ts";
import { Problem } from "#lib/problem.ts";
import * as brands from "#lib/store/brands.ts";
import * as deliveries from "#lib/store/deliveries.ts";
import * as destinations from "#lib/store/destinations.ts";
import { handler as activateBenefit } from "../../../functions/benefits/activate.ts";
import { handler as archiveBenefit } from "../../../functions/benefits/archive.ts";
import { handler as assignBenefit } from "../../../functions/benefits/assign-to-tiers.ts";
import { handler as removeBenefit } from "../../../functions/benefits/remove.ts";
import { handler as showBenefit } from "../../../functions/benefits/show.ts";
import { handler as updateBenefit } from "../../../functions/benefits/update.ts";
import { handler as removeBrand } from "../../../functions/brands/remove.ts";
import { handler as showBrand } from "../../../functions/brands/show.ts";
import { handler as updateBrand } from "../../../functions/brands/update.ts";
import { handler as showCommunity } from "../../../functions/communities/show.ts";
import { handler as updateCommunity } from "../../../functions/communities/update.ts";
import { handler as createDestination } from "../../../functions/destinations/create.ts";
import { handler as ping } from "../../../functions/destinations/ping.ts";
import { handler as removeDestination } from "../../../functions/destinations/remove.ts";
import { handler as resend } from "../../../functions/destinations/resend.ts";
import { handler as resendMany } from "../../../functions/destinations/resend-many.ts";
import { handler as rotateSecret } from "../../../functions/destinations/rotate-secret.ts";
import { handler as showDestination } from "../../../functions/destinations/show.ts";
import { handler as updateDestination } from "../../../functions/destinations/update.ts";
import { handler as createApiKey } from "../../../functions/keys/create.ts";
import { handler as removeApiKey } from "../../../functions/keys/remove.ts";
import { handler as block } from "../../../functions/members/block.ts";
import { handler as cancel } from "../../../functions/members/cancel-subscription.ts";
import { handler as issueRefund } from "../../../functions/members/issue-refund.ts";
import { handler as paymentHistory } from "../../../functions/members/payment-history.ts";
import { handler as refundCharge } from "../../../functions/members/refund-charge.ts";
import { handler as showMember } from "../../../functions/members/show.ts";
import { handler as unblock } from "../../../functions/members/unblock.ts";
import { handler as uncancel } from "../../../functions/members/uncancel-subscription.ts";
import { handler as updateMember } from "../../../functions/members/update.ts";
import { handler as change } from "../../../functions/subscriptions/change.ts";
import { handler as dropChange } from "../../../functions/subscriptions/drop-scheduled-change.ts";
import { handler as accept } from "../../../functions/team/accept.ts";
import { handler as invite } from "../../../functions/team/invite.ts";
import { handler as removeTeamMember } from "../../../functions/team/remove.ts";
import { handler as removeInvitation } from "../../../functions/team/remove-invitation.ts";
import { handler as updateTeamMember } from "../../../functions/team/update.ts";
import { handler as removeTier } from "../../../functions/tiers/remove.ts";
import { handler as showTier } from "../../../functions/tiers/show.ts";
import { handler as updateTier } from "../../../functions/tiers/update.ts";
import { apiRoutes } from "../../support/api.ts";
import { aBenefit, aDestination, addressOf, aMember, aTeamMember, aTier, givenBy } from "../../support/given.ts";
import { startMoney } from "../../support/money.ts";
import { difference, tally } from "../../support/posts.ts";

const money = startMoney();

type Params = Readonly<Record<string, unknown>>;

const ofCommunity = async (): Promise<Params> => ({ id: (await money.aPricedCommunity()).id });
const ofTier = async (): Promise<Params> => ({ id: (await money.aPricedCommunity()).tier.id });
const ofUnusedTier = async (): Promise<Params> => {
  const community = await money.aPricedCommunity();
  return { id: (await aTier(money.table, community.id)).id };
};
const ofBenefit = async (): Promise<Params> => ({
  id: (await aBenefit(money.table, await money.aPricedCommunity())).id,
});
const ofAssigned = async (): Promise<Params> => {
  const community = await money.aPricedCommunity();
  return { id: (await aBenefit(money.table, community, { tier_ids: [community.tier.id] })).id };
};
const ofBrand = async (): Promise<Params> => {
  const producer_id = randomUUID();
  const { id } = await brands.add(money.table, { name: "Smoke", producer_ids: [producer_id] }, givenBy());
  return { producer_id, id };
};
const ofMember = async (): Promise<Params> => {
  const community = await money.aPricedCommunity();
  return { community_id: community.id, id: (await aMember(money.table, community)).id };
};
const ofBlocked = async (): Promise<Params> => {
  const params = await ofMember();
  await money.call(block, { params });
  return params;
};

const ofArchived = async (): Promise<Params> => {
  const params = await ofBenefit();
  await money.call(archiveBenefit, { params });
  return params;
};
const ofSubscriber = async (): Promise<Params> => {
  const community = await money.aPricedCommunity({ tier: { yearly_price_dollars: 250 } });
  return { community_id: community.id, id: (await money.aSubscriber(community)).id };
};
const ofLeaver = async (): Promise<Params> => {
  const params = await ofSubscriber();
  await money.call(cancel, { params });
  return params;
};

const ofChanging = async (): Promise<Params> => {
  const params = await ofSubscriber();
  await money.call(change, { params, body: { interval: "year" } });
  return params;
};

const ofDestination = async (): Promise<Params> => ({
  id: (await aDestination(money.table, await money.aPricedCommunity())).id,
});
/** A destination with a known secret, at an address that is never connected to. */
const ofSealed = async (): Promise<Params> => {
  const params = { community_id: (await money.aPricedCommunity()).id };
  const body = { event_destination: { url: "https://192.0.2.1/", events: ["*"] } };
  return { id: (await money.call(createDestination, { params, body })).body?.id };
};
const ofDelivery = async (): Promise<Params> => {
  const { id } = await ofSealed();
  const community_id = (await destinations.communityOf(money.table, Number(id))) ?? 0;
  const event = { id: randomUUID(), type: "member.joined", timestamp: new Date().toISOString() };
  const now = new Date();
  const destination = { id: Number(id), community_id, enabled_at: now.toISOString() };
  const delivery = await deliveries.add(money.table, destination, { event, isLast: false }, now);
  return { id, delivery_id: delivery.id };
};

let listedDelivery: unknown;
/** A destination with one delivery, which the next body lists. */
const ofListed = async (): Promise<Params> => {
  const { id, delivery_id } = await ofDelivery();
  listedDelivery = delivery_id;
  return { id };
};

/** A route, the one that shows its record, one such record, and bodies that all differ. */
type Case = readonly [write: Endpoint, show: Endpoint, given: () => Promise<Params>, body?: (n: number) => object];

const cases: Case[] = [
  [updateCommunity, showCommunity, ofCommunity, (n) => ({ community: { name: `Name ${n}` } })],
  [updateTier, showTier, ofTier, (n) => ({ tier: { name: `Name ${n}`, monthly_price_dollars: 30 + n } })],
  [updateBenefit, showBenefit, ofBenefit, (n) => ({ benefit: { name: `Name ${n}` } })],
  [updateBrand, showBrand, ofBrand, (n) => ({ brand: { name: `Name ${n}` } })],
  [updateMember, showMember, ofMember, (n) => ({ member: { metadata: { notes: `Note ${n}` } } })],
  [removeTier, showTier, ofUnusedTier],
  [removeBenefit, showBenefit, ofBenefit],
  [removeBrand, showBrand, ofBrand],
  [unblock, showMember, ofBlocked],
  [block, showMember, ofMember, () => ({})],
  [archiveBenefit, showBenefit, ofBenefit],
  [activateBenefit, showBenefit, ofArchived],
  [assignBenefit, showBenefit, ofAssigned, () => ({ tier_ids: [] })],
  [cancel, showMember, ofSubscriber, () => ({})],
  [uncancel, showMember, ofLeaver, () => ({})],
  [change, showMember, ofSubscriber, () => ({ interval: "year" })],
  [dropChange, showMember, ofChanging],
  [issueRefund, showMember, ofSubscriber, (n) => ({ amount_cents: n })],
  [updateDestination, showDestination, ofDestination, (n) => ({ event_destination: { description: `Text ${n}` } })],
  [removeDestination, showDestination, ofDestination],
  [rotateSecret, showDestination, ofSealed],
  [ping, showDestination, ofSealed],
  [resend, showDestination, ofDelivery],
  [resendMany, showDestination, ofListed, () => ({ delivery_ids: [listedDelivery] })],
];
const named = cases.map(([write, show, given, body]) => {
  const { method, path } = write.route;
  return { name: `${method} ${path}`, method, write, show, given, body: (n: number) => body && { body: body(n) } };
});

it("the precondition tests cover every PATCH and DELETE, and every action on one record", () => {
  // A user is not a record that the API shows, so it has no ETag.
  const changing = apiRoutes.filter(
    ({ method, path, area }) => method !== "GET" && path.includes("{id}") && area !== "users",
  );
  // These have separate tests: refund_charge needs a charge, and invitations and API keys are shown by no route of their own.
  const others = [refundCharge, removeInvitation, accept, removeApiKey].map(
    ({ route: { method, path } }) => `${method} ${path}`,
  );
  const covered = [...named.map(({ name }) => name), ...others];
  expect(covered.toSorted()).toEqual(changing.map(({ key }) => key).toSorted());
});

it("refund_charge evaluates If-Match", async () => {
  const params = await ofSubscriber();
  const { body } = await money.call(paymentHistory, { params });
  const [
    {
      charges: [{ id: charge_id }],
    },
  ] = (body as { data: [{ charges: [{ id: string }] }] }).data;
  const refund = (etag: string) =>
    money.call(refundCharge, { params, body: { charge_id, amount_cents: 1 }, headers: { "if-match": etag } });
  const etag = String((await money.answer(showMember, { params })).headers.etag);
  expect([(await refund('"another"')).status, (await refund(etag)).status, (await refund(etag)).status]).toEqual([
    412, 201, 412,
  ]);
});

it.each([
  ["revoking", removeInvitation, 204],
  ["accepting", accept, 200],
] as const)("%s an invitation evaluates If-Match", async (_, endpoint, success) => {
  const person = await money.aPerson();
  const { id: community_id } = await money.aPricedCommunity();
  const body = { invitation: { email: addressOf(person), role: "viewer" } };
  const invited = await money.answer(invite, { params: { community_id }, body });
  const send = (etag: string) =>
    money.answer(endpoint, { params: { id: invited.body?.id }, as: person, headers: { "if-match": etag } });
  expect([(await send('"another"')).status, (await send(String(invited.headers.etag))).status]).toEqual([412, success]);
});

it("revoking an API key evaluates If-Match", async () => {
  const { id: community_id } = await money.aPricedCommunity();
  const body = { api_key: { name: "Warehouse" } };
  const created = await money.answer(createApiKey, { params: { community_id }, body });
  const revoke = (etag: string) =>
    money.answer(removeApiKey, { params: { id: created.body?.id }, headers: { "if-match": etag } });
  expect([(await revoke('"another"')).status, (await revoke(String(created.headers.etag))).status]).toEqual([412, 204]);
});

it("changes of a person in a team evaluate If-Match", async () => {
  const community = await money.aPricedCommunity();
  const { user_id } = await aTeamMember(money.table, community);
  const params = { community_id: community.id, user_id };
  const changeRole = (role: string, etag = "*") =>
    money.answer(updateTeamMember, { params, body: { team_member: { role } }, headers: { "if-match": etag } });
  const [first, second] = [await changeRole("viewer"), await changeRole("manager")];
  const etags = [first, second].map(({ headers }) => String(headers.etag));
  expect((await changeRole("support", etags[0])).status).toBe(412);
  const remove = (etag = "") => money.answer(removeTeamMember, { params, headers: { "if-match": etag } });
  expect([(await remove(etags[0])).status, (await remove(etags[1])).status]).toEqual([412, 204]);
});

it("If-Match is ignored by a replayed request and by the retry of a refund that has begun", async () => {
  const params = await ofSubscriber();
  const etag = String((await money.answer(showMember, { params })).headers.etag);
  const call = {
    params,
    body: { amount_cents: 1 },
    headers: { "if-match": etag, "idempotency-key": `refund of ${String(params.id)}` },
  };
  // The request crashes after the refund at Stripe and the write of the member.
  const dead = await crashBefore(storesResponse, () => money.answer(issueRefund, call));
  const continued = await money.answer(issueRefund, call);
  const replayed = await money.answer(issueRefund, call);
  expect([dead.status, continued.status, replayed.status, replayed.headers["idempotency-replayed"]]).toEqual([
    500,
    201,
    201,
    "true",
  ]);
});

type Input = { readonly Item?: Readonly<Record<string, unknown>>; readonly TransactItems?: unknown };

/** Makes a request that crashes before the writes that `isLost` selects. */
async function crashBefore<T>(isLost: (input: Input) => boolean, request: () => Promise<T>): Promise<T> {
  const send = money.client.send.bind(money.client);
  money.client.send = ((command: never, ...rest: []) =>
    isLost((command as { input: Input }).input)
      ? Promise.reject(new Error("crashed"))
      : send(command, ...rest)) as never;
  return request().finally(() => {
    money.client.send = send as never;
  });
}

const storesResponse = ({ Item }: Input) => Item?.response !== undefined;
const isTransaction = ({ TransactItems }: Input) => TransactItems !== undefined;

const edit = (params: Params) =>
  money.call(updateMember, {
    params,
    body: { member: { metadata: { notes: "Agreed on the phone: keep everything" } } },
  });

it.each([
  ["a refund", issueRefund, { amount_cents: 1 }],
  ["an immediate cancellation", cancel, { mode: "immediately" }],
  ["a change", change, { interval: "year" }],
] as const)(
  "If-Match is evaluated by the retry of %s that failed before it began an operation",
  async (_, endpoint, body) => {
    const params = await ofSubscriber();
    const etag = String((await money.answer(showMember, { params })).headers.etag);
    const call = { params, body, headers: { "if-match": etag, "idempotency-key": randomUUID() } };
    const down: Billing = () => Promise.reject(new Problem("payment_processor_unavailable"));
    const first = await money.call(endpoint, call, { ...money.platform(), billing: () => down });
    expect([first.status, (await edit(params)).status]).toEqual([503, 200]);
    expect(await money.call(endpoint, call)).toMatchObject({ status: 412, body: { code: "stale_record" } });
  },
);

it("If-Match is evaluated by the retry of a block that has not been written, or was withdrawn", async () => {
  const params = await ofMember();
  const blocking = async () => {
    const etag = String((await money.answer(showMember, { params })).headers.etag);
    return { params, body: {}, headers: { "if-match": etag, "idempotency-key": randomUUID() } };
  };
  const unwritten = await blocking();
  const dead = await crashBefore(isTransaction, () => money.call(block, unwritten));
  expect([dead.status, (await edit(params)).status]).toEqual([500, 200]);
  expect(await money.call(block, unwritten)).toMatchObject({ status: 412 });
  const withdrawn = await blocking();
  await crashBefore(storesResponse, () => money.call(block, withdrawn));
  expect((await money.call(unblock, { params })).body).toMatchObject({ is_blocked: false });
  expect(await money.call(block, withdrawn)).toMatchObject({ status: 412 });
});

it("If-Match is ignored by the retry of a block that has been written", async () => {
  const params = await ofMember();
  const etag = String((await money.answer(showMember, { params })).headers.etag);
  const call = { params, body: {}, headers: { "if-match": etag, "idempotency-key": randomUUID() } };
  const dead = await crashBefore(storesResponse, () => money.call(block, call));
  expect([dead.status, await money.call(block, call)]).toMatchObject([
    500,
    { status: 200, body: { is_blocked: true } },
  ]);
});

it("If-Match is evaluated by the retry of a resend of a time span unless the resend has begun", async () => {
  const retryAfter = async (isLost: (input: Input) => boolean) => {
    const params = await ofSealed();
    const etag = String((await money.answer(showDestination, { params })).headers.etag);
    const body = { since: new Date(Date.now() - 60_000).toISOString() };
    const call = { params, body, headers: { "if-match": etag, "idempotency-key": randomUUID() } };
    expect(await crashBefore(isLost, () => money.call(resendMany, call))).toMatchObject({ status: 500 });
    await money.call(updateDestination, { params, body: { event_destination: { description: "Moved" } } });
    return (await money.call(resendMany, call)).status;
  };
  expect([await retryAfter(storesResponse), await retryAfter(isTransaction)]).toEqual([202, 412]);
});

it("a refund returns 412 if another refund changes the member after If-Match was compared", async () => {
  const params = await ofSubscriber();
  const etag = String((await money.answer(showMember, { params })).headers.etag);
  const call = { params, body: { amount_cents: 1 }, headers: { "if-match": etag } };
  const platform = money.platform();
  let other: ReturnType<typeof money.call> | undefined;
  const overtaken: Billing = async (ask, key) => {
    other ??= money.call(issueRefund, call);
    expect((await other).status).toBe(201);
    return platform.billing?.(() => 20_000)(ask, key) as ReturnType<typeof ask>;
  };
  expect(await money.call(issueRefund, call, { ...platform, billing: () => overtaken })).toMatchObject({ status: 412 });
  expect((await money.call(showMember, { params })).body).toMatchObject({ total_refunded_cents: 1 });
});

describe.each(named)("$name", ({ write, show, given, body }) => {
  let params: Params;
  beforeAll(async () => {
    params = await given();
  });
  const etag = async () => String((await money.answer(show, { params })).headers.etag);

  it.each(['"another"', 'W/"another"', '"one", "two"', ""])(
    "an outdated If-Match is refused with 412 and changes nothing: %s",
    async (stale) => {
      const before = await tally(money);
      const shown = await money.call(show, { params });
      const headers = { "if-match": stale };
      expect(await money.call(write, { params, ...body(1), headers })).toMatchObject({
        status: 412,
        body: { code: "stale_record" },
      });
      expect(difference(before, await tally(money))).toEqual({});
      expect(await money.call(show, { params })).toEqual(shown);
    },
  );

  it("If-Match with the weak form of the current ETag is refused", async () => {
    const headers = { "if-match": `W/${await etag()}` };
    expect(await money.call(write, { params, ...body(1), headers })).toMatchObject({ status: 412 });
  });

  it("If-Match with several ETags is accepted if one of them is current", async () => {
    const headers = { "if-match": `"another", ${await etag()}` };
    expect((await money.call(write, { params, ...body(1), headers })).status).toBeLessThan(300);
    const again = (await money.call(write, { params, ...body(2), headers })).status ?? 0;
    expect(again < 300).toBe(changesNothing.includes(write));
  });
});

describe.each(named.filter(({ method }) => method !== "POST"))("$name", ({ write, show, given, body }) => {
  it.each(["*", "current"])("a matching If-None-Match is refused with 412: %s", async (tags) => {
    const others = await given();
    const current = String((await money.answer(show, { params: others })).headers.etag);
    const headers = { "if-none-match": tags === "*" ? "*" : `W/${current}` };
    expect(await money.call(write, { params: others, ...body(3), headers })).toMatchObject({
      status: 412,
      body: { code: "stale_record", detail: "The record matches If-None-Match" },
    });
    const other = { "if-none-match": '"another"' };
    expect((await money.call(write, { params: others, ...body(3), headers: other })).status).toBeLessThan(300);
  });
});

/** Routes that act outside the table and do not change the record. */
const changesNothing = [ping, resend, resendMany];

/** Routes that act at Stripe first, after beginning an operation for the compared version. */
const actsAtStripe = [cancel, uncancel, issueRefund, change, dropChange];

describe.each(named.filter(({ write }) => ![...actsAtStripe, ...changesNothing].includes(write)))(
  "concurrent $name",
  ({ method, write, show, given, body }) => {
    it("exactly one of thirty concurrent requests with the same If-Match succeeds", async () => {
      const params = await given();
      const headers = { "if-match": String((await money.answer(show, { params })).headers.etag) };
      const answers = await Promise.all(
        Array.from({ length: 30 }, (_, n) => money.call(write, { params, ...body(n), headers })),
      );
      const winners = answers.filter(({ status = 0 }) => status < 300);
      expect(winners).toHaveLength(1);
      const [won] = winners;
      // A deleted record is not_found instead of stale.
      const lost = new Set(answers.filter((answer) => answer !== won).map(({ body: problem }) => problem?.code));
      expect([...lost].filter((code) => code !== "stale_record")).toEqual(
        method === "DELETE" && lost.has("not_found") ? ["not_found"] : [],
      );
      // The secret is shown only once.
      const { secret: _, ...shown } = won?.body ?? {};
      if (method !== "DELETE") expect((await money.call(show, { params })).body).toEqual(shown);
    });
  },
);
