import Stripe from "stripe";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { permissions } from "#lib/billing/permissions.ts";
import { clientOf } from "#lib/billing/stripe.ts";
import * as checkout from "#lib/contract/checkout.ts";
import { activity } from "#lib/contract/communities.ts";
import * as destinations from "#lib/contract/destinations.ts";
import * as members from "#lib/contract/members.ts";
import * as tiers from "#lib/contract/tiers.ts";
import { sealingWith } from "#lib/delivery/sealing.ts";
import { purposeOf } from "#lib/delivery/secret.ts";
import { keys } from "#lib/store/keys.ts";
import { controlOf } from "../../packages/stripe-stand-in/test/local.ts";
import { lambdaContext } from "../../tools/local/lambda-context.ts";
import { type HttpRequest, type Serving, serve } from "../../tools/local/loopback.ts";
import { register } from "../../tools/scripts/stripe-setup/register.ts";
import { startApi } from "../support/api.ts";
import { aCommunity, type GivenCommunity } from "../support/given.ts";
import { join } from "../support/joining.ts";
import { metricsOf, startLog } from "../support/log.ts";

// The functions read their secrets from Secrets Manager, and cache them, as on AWS.
const api = startApi();
const log = startLog();
const [stripeArn, sealingArn] = ["arn:stripe", "arn:sealing"];
const stored = new Map<string, string>();
const stripeSecret = () => JSON.parse(stored.get(stripeArn) ?? "") as { secret_key: string; webhook_secret: string };

async function answer({ headers, body }: HttpRequest) {
  const { SecretId, SecretString } = JSON.parse(String(body)) as { SecretId: string; SecretString?: string };
  const target = headers.find(([name]) => name.toLowerCase() === "x-amz-target")?.[1];
  if (target === "secretsmanager.PutSecretValue") stored.set(SecretId, SecretString ?? "");
  const type: [string, string] = ["content-type", "application/x-amz-json-1.1"];
  return { status: 200, headers: [type], body: JSON.stringify({ SecretString: stored.get(SecretId) }) };
}

const person = { id: 5001 };
let secretsManager: Serving;
let community: GivenCommunity;
let member: { community_id: number; id: number };
beforeAll(async () => {
  community = await aCommunity(api.table);
  const params = { community_id: community.id };
  const tier = { name: "Cask", monthly_price_dollars: 25 };
  const { body } = await api.call(tiers.create, { as: community.owner, params, body: { tier } });
  member = await join(api, person, { ...params, tier_id: body.id });

  secretsManager = await serve({ port: 0, maxBodyBytes: 10_000 }, answer);
  stored.set(stripeArn, api.stack.environment.STRIPE_SECRET);
  stored.set(sealingArn, "the first key");
  vi.stubEnv("AWS_ENDPOINT_URL_SECRETS_MANAGER", secretsManager.url);
  for (const [name, value] of Object.entries({
    STRIPE_SECRET: "",
    STRIPE_SECRET_ARN: stripeArn,
    SEALING_KEY: "",
    SEALING_KEY_ARN: sealingArn,
  }))
    vi.stubEnv(name, value);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  await setUpStripe({ replace: true });
});
afterAll(async () => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  await secretsManager.close();
});

/** After this time, all functions use a new secret. */
const minutes = (count: number) => void vi.setSystemTime(Date.now() + count * 60_000);

const stripe = () => clientOf({ secret_key: "sk_test_local" }, api.stack.stripe?.url);
const url = () => `${api.origin}/webhooks/stripe`;

/** Stores a key of Stripe, or replaces the signing secret, as `npm run stripe:setup` does. */
const setUpStripe = (options: { secret_key?: string; replace?: true; revoke?: true }) =>
  register({
    stripe: stripe(),
    apiBase: api.stack.stripe?.url,
    url: url(),
    secretArn: stripeArn,
    stored: stripeSecret(),
    secret_key: stripeSecret().secret_key,
    ...options,
  });

/** Sends a new event, signed with a secret. @returns the status */
async function sendEvent(secret: string): Promise<number> {
  const object = { object: "subscription", customer: "cus_foreign" };
  const body = JSON.stringify({ id: `evt_${Math.random()}`, object: "event", type: "invoice.paid", data: { object } });
  const timestamp = Math.floor(Date.now() / 1000);
  const signature = Stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp });
  return (await api.send("/webhooks/stripe", { method: "POST", headers: { "stripe-signature": signature }, body }))
    .status;
}

/** Requests that use Stripe's key. @returns their statuses */
async function useStripe(): Promise<number[]> {
  const asOwner = { as: community.owner, params: member };
  const body = { return_url: `${api.origin}/back` };
  const answers = await Promise.all([
    api.call(members.paymentHistory, asOwner),
    api.call(members.subscriptionDetails, asOwner),
    api.call(checkout.createPortalSession, { as: person, params: { community_id: community.id }, body }),
  ]);
  return answers.map(({ status }) => status);
}

describe("Stripe's key", () => {
  it("no request fails while another key of Stripe is stored, and all functions use it five minutes later", async () => {
    const all = [200, 200, 201];
    expect(await useStripe()).toEqual(all);
    const during = useStripe();
    const control = controlOf(api.stack.stripe?.url ?? "");
    const { key: next } = (await control("keys", { permissions: permissions.write })) as { key: string };
    await setUpStripe({ secret_key: next });
    expect(stripeSecret().secret_key).toBe(next);
    expect([await during, await useStripe()]).toEqual([all, all]);
    minutes(5);
    expect([await useStripe(), await sendEvent(stripeSecret().webhook_secret)]).toEqual([all, 200]);
    // A key that may do nothing shows that all functions use what has been stored for five minutes.
    const { key: useless } = (await control("keys", { permissions: [] })) as { key: string };
    stored.set(stripeArn, JSON.stringify({ ...stripeSecret(), secret_key: useless }));
    expect(await useStripe()).toEqual(all);
    minutes(5);
    expect((await useStripe()).every((status) => status >= 500)).toBe(true);
    stored.set(stripeArn, JSON.stringify({ ...stripeSecret(), secret_key: next }));
    minutes(5);
    expect(await useStripe()).toEqual(all);
  });
});

describe("a key of Stripe that has leaked", () => {
  const control = (path: string, body = {}) => controlOf(api.stack.stripe?.url ?? "")(path, body);
  const makeKey = async () => ((await control("keys", { permissions: permissions.write })) as { key: string }).key;
  const revoke = (key: string) => control(`keys/${key}/roll`);
  const all = [200, 200, 201];

  async function reconcile() {
    const { handler } = await import("../../functions/triggers/reconcile.ts");
    return handler({}, lambdaContext("reconcile", 300) as never);
  }
  /** The log lines with refusals: the key in use, and the dimensions of the metric of the alarm StripeKeyRefused. */
  const refusals = () =>
    log
      .lines("info")
      .filter(({ stripe_key_refused: count }) => count)
      .map((line) => ({
        key: line.stripe_key,
        dimensions: metricsOf(line).flatMap(({ Dimensions, Metrics }) =>
          Metrics.some(({ Name }) => Name === "stripe_key_refused") ? Dimensions : [],
        ),
      }));

  it("no request fails if the leaked key is revoked five minutes after another one is stored", async () => {
    const leaked = stripeSecret().secret_key;
    await setUpStripe({ secret_key: await makeKey() });
    minutes(5);
    expect(await useStripe()).toEqual(all);
    await revoke(leaked);
    log.clear();
    expect([await useStripe(), await reconcile()]).toMatchObject([all, { failed: 0 }]);
    expect(refusals()).toEqual([]);
  });

  it("a revoked key that is still in use raises the alarm, in requests and in the schedule, with its last four characters", async () => {
    const leaked = stripeSecret().secret_key;
    await revoke(leaked);
    log.clear();
    expect(await useStripe()).toEqual([502, 502, 502]);
    const line = { key: `…${leaked.slice(-4)}`, dimensions: [[]] };
    expect(refusals()).toEqual([line, line, line]);
    log.clear();
    expect(await reconcile()).toMatchObject({ failed: 1 });
    expect(refusals()).toEqual([line]);
    expect(log.secrets([leaked])).toEqual([]);
  });

  it("five minutes after another key is stored instead of a revoked one, requests succeed and the schedule finishes its work", async () => {
    await setUpStripe({ secret_key: await makeKey() });
    minutes(5);
    log.clear();
    expect([await useStripe(), await reconcile()]).toMatchObject([all, { failed: 0, unfinished: 0 }]);
    expect(refusals()).toEqual([]);
  });
});

describe("the key for secrets of event destinations", () => {
  const create = () =>
    api.call(destinations.create, {
      as: community.owner,
      params: { community_id: community.id },
      body: { event_destination: { url: "https://receiver.example/events", events: ["access.*"] } },
    });
  const rotate = (id: number) =>
    api.call(destinations.rotateSecret, { as: community.owner, params: { id }, body: { overlap_hours: 0 } });
  /** Opens the stored secret of a destination with a key. */
  async function opened(id: number, key: string): Promise<string> {
    const { secret } = (await api.table.get(keys.destination(community.id, id))) as { secret: string };
    return sealingWith(key).open(secret, purposeOf(id));
  }

  it("no request fails while the key is replaced, and secrets that are rotated five minutes later use the new key", async () => {
    const { status, body: before } = await create();
    expect(status).toBe(201);
    stored.set(sealingArn, "the second key");
    expect((await create()).status).toBe(201);
    minutes(5);
    const { status: rotated, body: after } = await rotate(before.id);
    expect([rotated, (await create()).status]).toEqual([200, 201]);
    expect(await opened(before.id, "the second key")).toBe(after.secret);
  });
});

describe("the key that signs cursors", () => {
  it("cursors of before the replacement of the key are refused as invalid, and no other request fails", async () => {
    const list = (query: Record<string, string | number> = {}) =>
      api.call(activity, { as: community.owner, params: { id: community.id }, query: { per: 1, ...query } });
    const { body: before } = await list();
    const cursor = before.next_cursor ?? "";
    expect((await list({ cursor })).status).toBe(200);
    vi.stubEnv("CURSOR_KEY", "another key that signs cursors");
    expect(await list({ cursor })).toMatchObject({ status: 422, body: { code: "invalid_cursor" } });
    const { body: after } = await list();
    expect((await list({ cursor: after.next_cursor ?? "" })).status).toBe(200);
    expect(await useStripe()).toEqual([200, 200, 201]);
  });
});

// Last, because the tokens of the other tests expire after an hour.
describe("the signing secret of the webhook", () => {
  const replace = async (options: { readonly revoke?: true } = {}) => {
    const old = stripeSecret().webhook_secret;
    await setUpStripe({ replace: true, ...options });
    return { old, next: stripeSecret().webhook_secret };
  };

  it("events that are signed with the old and the new secret are accepted from the replacement to the end of the overlap", async () => {
    expect(await sendEvent(stripeSecret().webhook_secret)).toBe(200);
    minutes(1);
    const during = sendEvent(stripeSecret().webhook_secret);
    const { old, next } = await replace();
    expect(await during).toBe(200);
    for (const passed of [0, 1, 4, 60, 22 * 60]) {
      minutes(passed);
      expect([passed, await sendEvent(next), await sendEvent(old)]).toEqual([passed, 200, 200]);
    }
    minutes(2 * 60);
    expect([await sendEvent(next), await sendEvent(old)]).toEqual([200, 400]);
  });

  it("a revoked secret is refused after five minutes at the latest, and the new one is accepted at once", async () => {
    expect(await sendEvent(stripeSecret().webhook_secret)).toBe(200);
    minutes(1);
    const { old, next } = await replace({ revoke: true });
    expect(await sendEvent(next)).toBe(200);
    minutes(5);
    expect([await sendEvent(next), await sendEvent(old)]).toEqual([200, 400]);
  });
});
