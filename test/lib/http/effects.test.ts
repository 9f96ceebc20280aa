import { expect, it } from "vitest";
import type { Billing } from "#lib/billing/stripe.ts";
import { update as updateMember } from "#lib/contract/members.ts";
import { memberInPath } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { Problem } from "#lib/problem.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import { handler as updateCommunity } from "../../../functions/communities/update.ts";
import { handler as activity } from "../../../functions/members/activity.ts";
import { handler as importBatch } from "../../../functions/members/import-batch.ts";
import { handler as show } from "../../../functions/members/show.ts";
import { handler as update } from "../../../functions/members/update.ts";
import { handler as updateTier } from "../../../functions/tiers/update.ts";
import { anAddress } from "../../support/given.ts";
import { forMember } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();
const community = setUp(() => money.aPricedCommunity());

const move = (line1: string) => ({ body: { member: { shipping_address: anAddress({ line1 }) } } });

const editNotes = (member: StoredMember) =>
  money.call(update, { ...forMember(member), body: { member: { metadata: { notes: `${Math.random()}` } } } });

/** A platform with an action after the first response of Stripe in a request. */
function actingAfterStripe(act: () => Promise<unknown>) {
  const real = money.platform().billing?.(() => 20_000) as Billing;
  let isFirst = true;
  const billing: Billing = async (ask, key) => {
    const answer = await real(ask, key);
    if (isFirst) {
      isFirst = false;
      await act();
    }
    return answer;
  };
  return money.platform({ billing: () => billing });
}

const etagOf = async (member: StoredMember) => String((await money.answer(show, forMember(member))).headers.etag);

const lineAtStripe = async ({ stripe_customer_id: id }: StoredMember) => {
  const customer = await money.stripe.customers.retrieve(id ?? "");
  return customer.deleted ? undefined : customer.shipping?.address?.line1;
};

it("a PATCH whose If-Match fails after Stripe stored the address returns outcome_unknown, not 412", async () => {
  const member = await money.aSubscriber(community);
  const call = { ...forMember(member), ...move("Stale Street"), headers: { "if-match": await etagOf(member) } };
  const { status, body, headers } = await money.answer(
    update,
    call,
    actingAfterStripe(() => editNotes(member)),
  );
  expect({ status, body }).toMatchObject({ status: 503, body: { code: "outcome_unknown" } });
  expect(headers).toMatchObject({ "retry-after": "1" });
  expect(await lineAtStripe(member)).toBe("Stale Street");
});

it("a PATCH whose If-Match fails before the call of Stripe returns 412 and leaves Stripe's address unchanged", async () => {
  const member = await money.aSubscriber(community);
  const call = { ...forMember(member), ...move("Stale Street"), headers: { "if-match": await etagOf(member) } };
  await editNotes(member);
  expect(await money.call(update, call)).toMatchObject({ status: 412 });
  expect(await lineAtStripe(member)).toBeUndefined();
});

it("a PATCH whose address Stripe accepts at first but refuses after a conflict returns outcome_unknown", async () => {
  const member = await money.aSubscriber(community);
  const platform = actingAfterStripe(async () => {
    await editNotes(member);
    await money.control("faults", { refuse: { code: "parameter_invalid", path: "/v1/customers" } });
  });
  const { status, body } = await money.call(update, { ...forMember(member), ...move("First Street") }, platform);
  expect({ status, body }).toMatchObject({ status: 503, body: { code: "outcome_unknown" } });
  expect(await lineAtStripe(member)).toBe("First Street");
});

it("a PATCH whose address Stripe refuses returns 409 and stores nothing", async () => {
  const member = await money.aSubscriber(community);
  await money.control("faults", { refuse: { code: "parameter_invalid", path: "/v1/customers" } });
  const body = { member: { ...move("No Street").body.member, metadata: { notes: "unstored" } } };
  expect(await money.call(update, { ...forMember(member), body })).toMatchObject({
    status: 409,
    body: { code: "payment_processor_refused", processor_code: "parameter_invalid" },
  });
  expect(await lineAtStripe(member)).toBeUndefined();
  expect(await money.memberNow(member)).toMatchObject({ shipping_address: null, notes: "" });
});

it("an edit is completed even if its author loses the community after Stripe stored the address", async () => {
  const sold = await money.aPricedCommunity();
  const member = await money.aSubscriber(sold);
  const heir = await money.aPerson();
  const platform = actingAfterStripe(async () => {
    const body = { community: { owner_id: heir.id } };
    expect(await money.call(updateCommunity, { params: { id: sold.id }, body })).toMatchObject({ status: 200 });
    await editNotes(member);
  });
  const former = sold.owner;
  const call = { ...forMember(member), ...move("Last Street"), as: former };
  expect(await money.call(update, call, platform)).toMatchObject({ status: 200 });
  expect((await money.memberNow(member)).shipping_address).toEqual(anAddress({ line1: "Last Street" }));
  const { body } = await money.call(activity, forMember(member));
  expect(body).toMatchObject({ data: [{ action: "edited", actor: { id: former.id } }, {}, {}] });
  expect(await money.call(update, { ...call, ...move("No Street") })).toMatchObject({ status: 403 });
});

it("a tier update whose If-Match fails after its price was created returns 412 without renaming the product", async () => {
  const { tier } = await money.aPricedCommunity();
  const { headers } = await money.answer(updateTier, { params: { id: tier.id }, body: { tier: { position: 7 } } });
  const platform = actingAfterStripe(() =>
    money.call(updateTier, { params: { id: tier.id }, body: { tier: { position: 8 } } }),
  );
  const body = { tier: { name: "Renamed", monthly_price_dollars: 99 } };
  const conditional = { params: { id: tier.id }, body, headers: { "if-match": String(headers.etag) } };
  expect(await money.call(updateTier, conditional, platform)).toMatchObject({ status: 412 });
  expect((await money.stripe.products.retrieve(`odis_tier_${tier.id}`)).name).toBe(tier.name);
});

/** Runs work with a concurrent writer before each of its writes of a member. */
async function contended<T>(id: number, act: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  let isActing = false;
  money.client.middlewareStack.add(
    (next, { commandName = "" }) =>
      async (args) => {
        if (!isActing && commandName.startsWith("TransactWrite") && JSON.stringify(args.input).includes(`${id}`)) {
          isActing = true;
          await act().finally(() => {
            isActing = false;
          });
        }
        return next(args);
      },
    { step: "initialize", name: "contended" },
  );
  return work().finally(() => money.client.middlewareStack.remove("contended"));
}

/** A record of an import, without its person. */
const aRecord = () => ({
  tier_id: community.tier.id,
  status: "active",
  created_at: "2025-05-01T00:00:00.000Z",
  current_period_start: "2026-10-01T00:00:00.000Z",
  current_period_end: "2026-11-01T00:00:00.000Z",
});

/** An import of two members, with a concurrent import before each write of the second one. */
async function contendedImport(fault: () => Promise<unknown>) {
  const { id: stripe_customer_id } = await money.stripe.customers.create({});
  const [first, second] = [await money.aPerson(), await money.aPerson()];
  const [id, contendedId] = [777_000_111, 777_000_112];
  const record = { ...aRecord(), id: contendedId, user: second };
  let total_refunded_cents = 0;
  const another = async () => {
    total_refunded_cents += 1;
    const imported = await money.importMember(community, {
      ...record,
      lifetime_spend_cents: 100,
      total_refunded_cents,
    });
    expect(imported).toMatchObject({ id: contendedId });
    if (total_refunded_cents === 7) await fault();
  };
  await another();
  const body = { members: [{ ...aRecord(), id, user: first, stripe_customer_id }, record] };
  const answer = await contended(contendedId, another, () =>
    money.call(importBatch, { params: { community_id: community.id }, body }),
  );
  return { ...answer, written: await members.find(money.table, community.id, id) };
}

it("an import returns outcome_unknown if Stripe refuses a lookup after a record was written", async () => {
  const { written, ...answer } = await contendedImport(() =>
    money.control("faults", { fail_next: { count: 2, status: 400 } }),
  );
  await money.control("faults", { fail_next: 0 });
  expect(written).toBeDefined();
  expect(answer).toMatchObject({ status: 503, body: { code: "outcome_unknown" } });
});

it("an import returns 409 if Stripe refuses a lookup before any record was written", async () => {
  const { id: stripe_customer_id } = await money.stripe.customers.create({});
  await money.control("faults", { fail_next: { count: 2, status: 400 } });
  const body = { members: [{ ...aRecord(), user: await money.aPerson(), stripe_customer_id }] };
  const answer = await money.call(importBatch, { params: { community_id: community.id }, body });
  expect(answer).toMatchObject({ status: 409, body: { code: "payment_processor_refused" } });
});

/** An endpoint that calls Stripe and is then refused. */
const refusedAfter = (call: (billing: Billing, member: StoredMember) => Promise<unknown>) =>
  endpoint(updateMember, memberInPath, async ({ billing, record }) => {
    await call(billing, record);
    throw new Problem("member_blocked");
  });

it.each([
  [
    "a read",
    409,
    (billing: Billing, { stripe_customer_id: id }: StoredMember) =>
      billing((stripe, options) => stripe.customers.retrieve(id ?? "", {}, options)),
  ],
  [
    "a list that is read to its end",
    409,
    (billing: Billing) =>
      billing((stripe, options) => stripe.charges.list({ limit: 1 }, options).autoPagingToArray({ limit: 3 })),
  ],
  [
    "a write that Stripe refuses",
    409,
    (billing: Billing) =>
      billing((stripe, options) => stripe.customers.update("cus_unknown", { name: "A" }, options)).catch(() => {}),
  ],
  [
    "a write",
    503,
    (billing: Billing, { stripe_customer_id: id }: StoredMember) =>
      billing((stripe, options) => stripe.customers.update(id ?? "", { name: "A" }, options)),
  ],
  [
    "the creation of a customer",
    409,
    (billing: Billing) => billing((stripe, options) => stripe.customers.create({ name: "A" }, options)),
  ],
  [
    "a write in a nested resource",
    503,
    (billing: Billing, { stripe_customer_id: customer }: StoredMember) =>
      billing((stripe, options) =>
        stripe.checkout.sessions.create(
          {
            mode: "subscription",
            customer: customer ?? "",
            line_items: [{ price: community.tier.stripe_price_id ?? "", quantity: 1 }],
            success_url: "https://odis.example",
          },
          options,
        ),
      ),
  ],
  [
    "a write without an answer",
    503,
    (billing: Billing, { stripe_customer_id: id }: StoredMember) =>
      money
        .control("faults", { fail_next: { status: 500, after: true } })
        .then(() => billing((stripe, options) => stripe.customers.update(id ?? "", { name: "B" }, options)))
        .catch(() => {}),
  ],
] as const)("an error of %s at Stripe is returned as %i", async (_, expected, call) => {
  const member = await money.aSubscriber(community);
  expect(await money.call(refusedAfter(call), { ...forMember(member), body: { member: {} } })).toMatchObject({
    status: expected,
  });
});
