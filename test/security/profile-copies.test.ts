import type Stripe from "stripe";
import * as v from "valibot";
import { beforeAll, expect, it } from "vitest";
import { copyChangedProfiles, isProfileChange } from "#lib/billing/profile-changes.ts";
import { reconcile, type Step } from "#lib/billing/reconcile.ts";
import type { Billing } from "#lib/billing/stripe.ts";
import { createSession } from "#lib/contract/checkout.ts";
import { importBatch, list, show } from "#lib/contract/members.ts";
import { create as createTier } from "#lib/contract/tiers.ts";
import { customersOf } from "#lib/store/customers.ts";
import { keys } from "#lib/store/keys.ts";
import * as users from "#lib/store/users.ts";
import { write } from "#lib/store/write.ts";
import { password } from "../../tools/local/users.ts";
import { recordOf } from "../lib/projections/stream.ts";
import { admin, startApi } from "../support/api.ts";
import { askCognito } from "../support/cognito.ts";
import { aCommunity, type GivenCommunity } from "../support/given.ts";

const api = startApi();
const now = new Date();

let community: GivenCommunity;
let params: { community_id: number };
beforeAll(async () => {
  community = await aCommunity(api.table);
  params = { community_id: community.id };
});

type Account = { readonly username: string; readonly email: string; readonly given_name?: string };

/** Changes a person's account in the pool, and signs them in. @returns the id of their profile */
async function signIn(account: Account): Promise<number> {
  await api.stack.cognito.addUser({ ...account, password });
  const AuthParameters = { USERNAME: account.username, PASSWORD: password };
  const input = { AuthFlow: "USER_PASSWORD_AUTH", AuthParameters, ClientId: process.env.CLIENT_ID };
  const { body } = await askCognito(api.stack.cognito, "InitiateAuth", input);
  const { AccessToken } = v.parse(Issued, body).AuthenticationResult;
  const claims = JSON.parse(Buffer.from(AccessToken.split(".")[1] ?? "", "base64url").toString()) as object;
  return v.parse(v.object({ user_id: v.number() }), claims).user_id;
}

const Issued = v.object({ AuthenticationResult: v.object({ AccessToken: v.string() }) });

it("member records and their search items are updated with a profile, through the stream", async () => {
  const period = { current_period_start: "2026-11-01T00:00:00.000Z", current_period_end: "2026-12-01T00:00:00.000Z" };
  const record = { id: 4713, tier_id: community.tier.id, status: "active", created_at: "2026-11-01T00:00:00.000Z" };
  const user = { email: "before@example.com", username: "bea", first_name: "Bea" };
  const imported = { members: [{ ...record, ...period, user }] };
  await api.call(importBatch, { as: admin, params, body: imported });

  await signIn({ username: "bea", email: "before@example.com" });
  await signIn({ username: "bea", email: "after@example.com", given_name: "Beatrix" });
  await api.stack.settled();

  const { body, headers } = await api.call(show, { as: admin, params: { ...params, id: 4713 } });
  expect(body.user).toMatchObject({ email: "after@example.com", first_name: "Beatrix", username: "bea" });
  expect(headers.get("etag")).toBeTruthy();
  const found = async (query: string) => (await api.call(list, { as: admin, params, query: { query } })).body.data;
  expect(await found("after@")).toHaveLength(1);
  expect(await found("beatrix")).toHaveLength(1);
  expect(await found("before@")).toEqual([]);

  // Imports with the old and with the new address find the unchanged member.
  const again = await api.call(importBatch, { as: admin, params, body: imported });
  expect(again.body).toMatchObject({ data: [{ id: 4713, outcome: "unchanged" }] });
  const renamed = { members: [{ ...record, ...period, user: { email: "after@example.com" }, status: "canceled" }] };
  expect((await api.call(importBatch, { as: admin, params, body: renamed })).body).toMatchObject({
    data: [{ outcome: "updated" }],
  });
});

const Customer = v.object({ email: v.nullable(v.string()), name: v.nullable(v.string()) });

/** The person's only customer at Stripe. */
async function customerOf(userId: number) {
  const [id] = await customersOf(api.table, userId);
  const headers = { authorization: "Bearer sk_test_local" };
  const response = await fetch(`${process.env.STRIPE_API_BASE}/v1/customers/${id}`, { headers });
  return v.parse(Customer, await response.json());
}

it("the Stripe customer is updated with a profile", async () => {
  const account = { username: "cora", email: "cora@example.com", given_name: "Cora" };
  const id = await signIn(account);
  const back = { success_url: api.origin, cancel_url: api.origin };
  const tier = { name: "Cask", monthly_price_dollars: 25 };
  const { body: made } = await api.call(createTier, { as: community.owner, params, body: { tier } });
  const { status } = await api.call(createSession, { as: { id }, params, body: { tier_id: made.id, ...back } });
  expect(status).toBe(201);
  expect(await customerOf(id)).toEqual({ email: "cora@example.com", name: "Cora" });

  await signIn({ ...account, email: "cora@example.org", given_name: "Coralie" });
  await api.stack.settled();
  expect(await customerOf(id)).toEqual({ email: "cora@example.org", name: "Coralie" });

  // Without the name, and with an address that another profile has.
  await signIn({ username: "other", email: "other@example.org" });
  await signIn({ username: "cora", email: "other@example.org" });
  await api.stack.settled();
  expect(await customerOf(id)).toEqual({ email: null, name: null });
});

it("an address that Stripe refuses removes the former one, but not one that was entered on Stripe's page since", async () => {
  const account = { username: "erna", email: "erna@example.com", given_name: "Erna" };
  const id = await signIn(account);
  const back = { success_url: api.origin, cancel_url: api.origin };
  const tier = { name: "Barrel", monthly_price_dollars: 25 };
  const { body: made } = await api.call(createTier, { as: community.owner, params, body: { tier } });
  await api.call(createSession, { as: { id }, params, body: { tier_id: made.id, ...back } });
  expect(await customerOf(id)).toEqual({ email: "erna@example.com", name: "Erna" });

  await signIn({ ...account, email: "erna@intranet" });
  await api.stack.settled();
  expect(await customerOf(id)).toEqual({ email: null, name: "Erna" });

  const [customer] = await customersOf(api.table, id);
  const headers = { authorization: "Bearer sk_test_local" };
  const body = new URLSearchParams({ email: "entered@example.com" });
  await fetch(`${process.env.STRIPE_API_BASE}/v1/customers/${customer}`, { method: "POST", headers, body });
  await signIn({ ...account, email: "erna@intranet", given_name: "Ernestine" });
  await api.stack.settled();
  expect(await customerOf(id)).toEqual({ email: "entered@example.com", name: "Ernestine" });
});

it("a profile that could not be copied to Stripe is retried by the schedule, and does not delay other records", async () => {
  const { table } = api;
  const id = await users.add(
    table,
    users.newUser({ sub: "dora", username: "dora", first_name: "Dora" }, now, Math.random),
  );
  await write(table, [{ put: { ...keys.customerOf(id, community.id), member_id: 1, customer_id: "cus_dora" } }]);
  const key = keys.user(id);
  const after = await table.get(key);
  const down = async () => Promise.reject(new Error("Stripe is down"));
  const asked: object[] = [];

  const record = recordOf(key, { ...after, first_name: "Old", email: "dora@example.com" }, after);
  expect(isProfileChange(record)).toBe(true);
  expect(isProfileChange(recordOf(key, after, after))).toBe(false);
  expect(isProfileChange(recordOf(key, undefined, after))).toBe(false);
  expect(await copyChangedProfiles({ table, billing: down, now }, [record])).toEqual([]);

  const later = new Date(now.getTime() + 60 * 60_000);
  const stripe = {
    customers: { update: async (_: string, changes: object) => void asked.push(changes) },
  } as unknown as Stripe;
  const up: Billing = async (ask) => ask(stripe, {});
  const steps: Step[] = [];
  const options = { livemode: false, left: () => 60_000, onStep: (step: Step) => void steps.push(step) };
  await reconcile({ table, billing: up, now: later }, options);
  expect(steps.filter(({ name, failed }) => name === `profile ${id}` && !failed)).toHaveLength(1);
  expect(asked).toEqual([{ email: "", name: "Dora" }]);
  await reconcile({ table, billing: up, now: later }, options);
  expect(asked).toEqual([{ email: "", name: "Dora" }]);
});

it.each(["name first", "address first", "in a record that cannot be read"])(
  "a name and an address that were removed in one batch, while Stripe was down, are both removed there: %s",
  async (order) => {
    const { table } = api;
    const id = await users.add(table, users.newUser({ sub: order, username: order }, now, Math.random));
    await write(table, [{ put: { ...keys.customerOf(id, community.id), member_id: 1, customer_id: `cus_${id}` } }]);
    const key = keys.user(id);
    const after = await table.get(key);
    const named = { ...after, first_name: "Edda" };
    const addressed = { ...after, email: "edda@example.com" };
    const both = { ...named, email: "edda@example.com" };
    const records = {
      "name first": [recordOf(key, both, addressed), recordOf(key, addressed, after)],
      "address first": [recordOf(key, both, named), recordOf(key, named, after)],
    }[order] ?? [recordOf(key, { ...both, first_name: 7 }, after)];
    const down = async () => Promise.reject(new Error("Stripe is down"));
    expect(await copyChangedProfiles({ table, billing: down, now }, records)).toEqual([]);

    const asked: object[] = [];
    const stripe = {
      customers: { update: async (_: string, changes: object) => void asked.push(changes) },
    } as unknown as Stripe;
    const later = new Date(now.getTime() + 60 * 60_000);
    await reconcile(
      { table, billing: async (ask) => ask(stripe, {}), now: later },
      { livemode: false, left: () => 60_000 },
    );
    expect(asked).toEqual([{ email: "", name: "" }]);
  },
);
