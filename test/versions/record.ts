import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { reconcile } from "#lib/billing/reconcile.ts";
import { billing } from "#lib/billing/stripe.ts";
import { compact } from "#lib/discovery/compaction.ts";
import { invite } from "#lib/store/admin-access.ts";
import type { Item } from "#lib/store/expression.ts";
import { type ItemKind, type Key, keys } from "#lib/store/keys.ts";
import { write } from "#lib/store/write.ts";
import { clockMargin } from "#lib/values/clock-margin.ts";
import { createSignIn } from "../../client/odis.ts";
import { buildIfStale } from "../../tools/build/build.ts";
import { totp } from "../../tools/local/cognito/totp.ts";
import { loadFunctions } from "../../tools/local/functions.ts";
import { startStack } from "../../tools/local/stack.ts";
import { openStream } from "../../tools/local/streams/reader.ts";
import { adminTotpSecret } from "../../tools/local/users.ts";
import { rebuildAll } from "../../tools/scripts/rebuild-all.ts";
import { allItems } from "../support/copies.ts";
import { current, fileOf, type Items, kindOf, textOf } from "./items.ts";

// Records items of every kind that this version stores. They result from actions of people, Stripe and the schedules on
// a local stack. Every personal text of one person contains "sentinel".

await buildIfStale();
const stack = await startStack({ throttle: true });
stack.listen();
const { table, stripe, cognito } = stack;
if (!stripe) throw new Error("Items are recorded with the stand-in for Stripe only: unset STRIPE_SECRET_KEY");
const functions = loadFunctions({ dist: "dist" });
const { USER_POOL_ID: userPoolId, CLIENT_ID: clientId } = stack.environment;
const pool = createSignIn({ userPoolId, clientId, endpoint: cognito.url });
const password = "Odis-local-1";

type Person = { readonly id: number; readonly email: string; readonly sub: string; readonly token: string };
type Created = { readonly id: number };

/** @param code the code of the authenticator app, if the person has one */
async function signIn(email: string, code = ""): Promise<Person> {
  let step = await pool.signIn(email, password);
  if (step.status === "totp_required") step = await step.answer(code);
  if (step.status !== "signed_in") throw new Error(`The pool asks for more: ${step.status}`);
  const { accessToken: token } = step.session;
  const claims = Buffer.from(token.split(".")[1] ?? "", "base64url").toString();
  const { sub, user_id: id } = JSON.parse(claims) as { readonly sub: string; readonly user_id: number };
  return { id, email, sub, token };
}

async function signUp(firstName: string, lastName: string): Promise<Person> {
  const email = `${firstName}.${lastName}@example.com`.toLowerCase();
  await pool.signUp(email, password, { firstName, lastName });
  await pool.confirmSignUp(email, "000000");
  return signIn(email);
}

async function call<T = Created>(as: Person, method: string, path: string, body?: object, key?: string): Promise<T> {
  const headers = { authorization: `Bearer ${as.token}`, "content-type": "application/json" };
  const response = await fetch(`${stack.url}/odis/v1${path}`, {
    method,
    headers: { ...headers, ...(key !== undefined && { "idempotency-key": key }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

const controlStripe = (path: string, body: object) => postTo(`${stack.stripe?.url}/_fake/${path}`, body);
const postTo = (url: string, body: object) =>
  fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

async function settled(): Promise<void> {
  await stripe?.settled();
  await stack.settled();
}

async function anEditor(): Promise<Person> {
  const email = "editor@example.com";
  await cognito.addUser({ username: randomUUID(), email, password, groups: ["editor"] });
  return signIn(email);
}

/** Creates an admin with an authenticator app. The app is recognized at the first sign-in after the invitation. */
async function anAdmin(): Promise<Person> {
  const email = "admin@example.com";
  const account = { username: randomUUID(), email, password, groups: ["admin"], totp_secret: adminTotpSecret };
  const { sub } = await cognito.addUser(account);
  await invite(table, sub, new Date());
  await signIn(email, totp(adminTotpSecret, Date.now() - 30_000));
  // Only sessions that certainly began after the app was seen are accepted.
  await setTimeout(clockMargin + 2000);
  return signIn(email, totp(adminTotpSecret, Date.now()));
}

async function join(as: Person, tierId: number, completion = {}): Promise<Created> {
  const back = { success_url: stack.url, cancel_url: stack.url };
  const session = await call<{ url: string }>(as, "POST", `${at}/checkout_sessions`, { tier_id: tierId, ...back });
  await postTo(`${session.url}/complete`, completion);
  await settled();
  const { data } = await call<{ data: Created[] }>(owner, "GET", `${at}/members?query=${as.email}`);
  const [member] = data;
  if (!member) throw new Error(`${as.email} is no member`);
  return member;
}

const [admin, editor] = [await anAdmin(), await anEditor()];
const owner = await signUp("Olga", "Owner");
const { email: personEmail } = await signUp("Sentinelfirst", "Sentinellast");
await pool.forgotPassword(personEmail);
await pool.resetPassword(personEmail, "000000", password);
const person = await signIn(personEmail);

const post = <T = Created>(as: Person, path: string, body?: object) => call<T>(as, "POST", path, body);
const { id: communityId } = await post(admin, "/communities", {
  community: { name: "Mezcal Circle", owner_id: owner.id },
});
const at = `/communities/${communityId}`;
await call(owner, "PATCH", at, { community: { slug: "mezcal-circle", avatar_url: "https://example.com/agave.png" } });
const archived = { name: "Peat & Smoke", owner_id: admin.id, trending_pin: "on" };
const { id: archivedId } = await post(admin, "/communities", { community: archived });
await call(admin, "PATCH", `/communities/${archivedId}`, { community: { status: "archived" } });

const aTier = (tier: object) => post(owner, `${at}/tiers`, { tier });
const tier = await aTier({ name: "Agave Friend", monthly_price_dollars: 10 });
const trial = await aTier({
  name: "Barrel Owner",
  badge: "Barrel",
  monthly_price_dollars: 25,
  trial_days: 14,
  requires_shipping_address: true,
});
const free = await aTier({ name: "Free Taster", monthly_price_dollars: 0 });
await call(owner, "PATCH", `/tiers/${free.id}`, { tier: { status: "archived" } });
const aBenefit = (benefit: object) => post(owner, `${at}/benefits`, { benefit });
const benefit = await aBenefit({ name: "Tasting notes" });
await aBenefit({ name: "First pick", description: "Of each barrel", position: 2, tier_ids: [tier.id, trial.id] });
await post(owner, `/benefits/${benefit.id}/archive`);
const producers = ["0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0001", "0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0002"];
const brands = `/producers/${producers[0]}/brands`;
const brand = await post(editor, brands, { brand: { name: "Sotol", producer_ids: producers } });
await call(editor, "PATCH", `${brands}/${brand.id}`, { brand: { name: "Sotol Norte" } });

// One destination receives all events, and the other one fails.
const receiver = createServer((request, response) => {
  request.resume();
  response.writeHead(request.url === "/fails" ? 500 : 200).end();
});
await once(receiver.listen(0, "127.0.0.1"), "listening");
const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
const aDestination = (event_destination: object) => post(owner, `${at}/event_destinations`, { event_destination });
const destination = await aDestination({ url: receiverUrl, events: ["*"] });
const failing = await aDestination({ url: `${receiverUrl}/fails`, events: ["access.*"], description: "Our door" });
await post(owner, `/event_destinations/${failing.id}/rotate_secret`);
await post(owner, `/event_destinations/${destination.id}/ping`);

const home = { line1: "Calle Reforma 12", city: "Oaxaca de Juárez", state: "OAX", postal_code: "68000", country: "MX" };
const member = await join(person, tier.id);
const own = `${at}/members/${member.id}`;
const shipping_address = {
  ...home,
  name: "sentinel name",
  line1: "sentinel street 1",
  line2: "",
  city: "sentinel town",
};
const metadata = { notes: "sentinel notes", sentinel_key: { deep: ["sentinel value"] } };
await call(owner, "PATCH", own, { member: { shipping_address, metadata } });
const refund = { amount_cents: 200, note: "sentinel refund", reason: "duplicate" };
await call(owner, "POST", `${own}/issue_refund`, refund, "one refund");
type History = { data: { charges: { id: string }[] }[] };
const charge = (await call<History>(owner, "GET", `${own}/payment_history`)).data[0]?.charges[0]?.id ?? "";
await post(owner, `${own}/refund_charge`, { charge_id: charge, amount_cents: 100, note: "sentinel second refund" });
await post(owner, `${own}/cancel_subscription`, { feedback: "unused", comment: "sentinel comment" });
await post(owner, `${own}/uncancel_subscription`);
await post(owner, `${own}/block`, { reason: "sentinel reason" });
await settled();
await controlStripe("disputes", { charge });
await post(person, `${at}/billing_portal_sessions`, { return_url: stack.url });

await join(await signUp("Tina", "Trial"), trial.id, { shipping: { name: "Tina Trial", address: home } });
const leaving = await join(await signUp("Lea", "Leaving"), tier.id);
await post(owner, `${at}/members/${leaving.id}/cancel_subscription`, { mode: "immediately" });
const declined = await signUp("Dee", "Declined");
await join(declined, tier.id, { decline: true });
const erased = await signUp("Erik", "Erased");
await join(erased, tier.id);
const unpaid = await signUp("Opal", "Open");
await post(unpaid, `${at}/checkout_sessions`, { tier_id: tier.id, success_url: stack.url, cancel_url: stack.url });

const period = { current_period_start: "2026-10-01T00:00:00.000Z", current_period_end: "2026-11-01T00:00:00.000Z" };
const imported = (email: string, over: object) => ({
  user: { email },
  tier_id: tier.id,
  created_at: "2024-05-01T00:00:00.000Z",
  ...period,
  ...over,
});
const statuses = ["active", "trialing", "past_due", "unpaid", "canceled", "incomplete"];
const everything = {
  id: 77,
  user: { id: 7007, email: "full@example.com", username: "full", first_name: "Fulla", last_name: "Full" },
  status: "active",
  cancel_at_period_end: true,
  cancel_at: period.current_period_end,
  trial_start: "2024-05-01T00:00:00.000Z",
  trial_end: "2024-05-14T00:00:00.000Z",
  shipping_address: { name: "Fulla", line2: "", ...home },
  is_blocked: true,
  blocked_at: "2026-11-02T00:00:00.000Z",
  blocked_by: owner.id,
  block_reason: "Resold bottles",
  lifetime_spend_cents: 7000,
  total_refunded_cents: 100,
  refunds: [
    {
      refund_id: "re_Old",
      charge_id: "ch_Old",
      invoice_id: "in_Old",
      amount_cents: 100,
      reason: "duplicate",
      note: "Old",
      issued_at: "2026-11-01T00:00:00.000Z",
      issued_by: owner.id,
      status: "succeeded",
    },
  ],
  metadata: { notes: "From before", level: 3 },
};
const members = statuses.map((status, n) => imported(`old${n}@example.com`, { status }));
const { stripe_price_id: price } = await call<{ stripe_price_id: string }>(owner, "GET", `/tiers/${tier.id}`);
const asStripe = { method: "POST", headers: { authorization: "Bearer sk_test_local" } };
const { id: customer } = (await (await fetch(`${stripe.url}/v1/customers`, asStripe)).json()) as { id: string };
const { id: subscription } = (await (await controlStripe("subscriptions", { customer, price })).json()) as {
  id: string;
};
const atStripe = { status: "active", stripe_customer_id: customer, stripe_subscription_id: subscription };
const outcomes = await post<{ data: { outcome: string }[] }>(admin, `${at}/members/import`, {
  members: [...members, imported("full@example.com", everything), imported("elsewhere@example.com", atStripe)],
});
if (outcomes.data.some(({ outcome }) => outcome !== "created")) throw new Error(JSON.stringify(outcomes));
await settled();

const helper = await signUp("Hana", "Helper");
const inviting = (email: string, role: string) => post(owner, `${at}/invitations`, { invitation: { email, role } });
await post(helper, `/invitations/${(await inviting(helper.email, "manager")).id}/accept`);
await call(owner, "PATCH", `${at}/team/${helper.id}`, { team_member: { role: "support" } });
await inviting(personEmail, "viewer");
const { key } = await post<{ key: string }>(owner, `${at}/api_keys`, { api_key: { name: "Warehouse" } });
await fetch(`${stack.url}/odis/v1${at}/stats`, { headers: { authorization: `Bearer ${key}` } });

await post(admin, `/users/${erased.id}/erase`, { dry_run: false, cancel_subscriptions: true });
await post(owner, `/event_destinations/${destination.id}/resend`, {
  since: new Date(Date.now() - 60_000).toISOString(),
});
await functions.call("reconcile", {});
// Stripe declines the renewals, and the schedule's calls to Stripe fail.
await controlStripe("faults", { decline: true });
await controlStripe("advance", { days: 32 });
await settled();
await controlStripe("faults", { decline: 0, fail_next: true });
const later = { table, billing: billing(() => 60_000), now: new Date(Date.now() + 32 * 24 * 60 * 60 * 1000) };
await reconcile(later, { livemode: false, left: () => 60_000 });
await controlStripe("faults", { fail_next: 0 });
await compact(table, new Date(), { rows: 0 });
await settled();

// A rebuild corrects a wrong figure, and records what changes while it runs.
let isBlocked = false;
await write(table, [{ update: keys.stats(communityId), set: { monthly_cents: 1 }, when: "exists" }]);
const context = {
  table,
  now: () => new Date(),
  /** Blocks or unblocks a member while the rebuild runs. */
  async pause() {
    isBlocked = !isBlocked;
    const path = `${at}/members/${leaving.id}`;
    await (isBlocked ? post(owner, `${path}/block`) : call(owner, "DELETE", `${path}/unblock`));
    await setTimeout(300);
  },
};
await rebuildAll(context, { onProgress: () => {}, onWrong: () => {} });
await settled();

/** Reads every item that was ever stored from the stream. */
async function written(): Promise<(Key & Item)[]> {
  const stream = await openStream(stack.environment.AWS_ENDPOINT_URL_DYNAMODB, table.name);
  const found: (Key & Item)[] = [];
  for (const shard of await stream.shards()) {
    for (let records = await stream.read(shard, undefined); records.length > 0; ) {
      for (const { dynamodb } of records)
        if (dynamodb.NewImage) found.push(unmarshall(dynamodb.NewImage as never) as Key & Item);
      records = await stream.read(shard, records.at(-1)?.dynamodb.SequenceNumber);
    }
  }
  return found;
}

/** Kinds with an item for each event or request. Only two items of each are recorded. */
const frequent: readonly string[] = ["streamRecord", "stripeEvent", "usage"];
const sorted = (item: Key & Item) =>
  Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1))) as Key & Item;
const byKind = (items: readonly (Key & Item)[]) => Object.groupBy(items, kindOf);

const kept = byKind((await allItems(table.client, table.name)) as (Key & Item)[]);
const passing = byKind(await written());
const recorded: Items = Object.fromEntries(
  Object.keys(passing)
    .toSorted()
    .map((name) => {
      const kind = name as ItemKind;
      // If all items of a kind were deleted, records the last one.
      const items = kept[kind] ?? passing[kind]?.slice(-1) ?? [];
      return [kind, items.slice(0, frequent.includes(kind) ? 2 : undefined).map(sorted)];
    }),
);
receiver.close();
receiver.closeAllConnections();
await stack.stop();

writeFileSync(fileOf(current), textOf(recorded));
const missing = Object.keys(keys).filter((kind) => !(kind in recorded));
console.log(`${Object.values(recorded).flat().length} items in ${fileOf(current)}`);
if (missing.length > 0) throw new Error(`No item is of the kinds ${missing.join(", ")}`);
