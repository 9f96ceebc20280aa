import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { readStripeKey, readStripeSecret, webhookSecretsOf } from "#lib/secrets.ts";
import { type Serving, serve } from "../../tools/local/loopback.ts";
import { fromNow } from "../support/clock.ts";

/** A Secrets Manager that has one secret, or fails. */
let secretsManager: Serving;
let stored: string | undefined;
let reads = 0;
let isDown = false;
/** Each test begins after the cache of earlier tests has expired. */
let start = new Date();

beforeAll(async () => {
  secretsManager = await serve({ port: 0, maxBodyBytes: 10_000 }, async () => {
    reads++;
    const headers: [string, string][] = [["content-type", "application/x-amz-json-1.1"]];
    if (isDown) return { status: 400, headers, body: '{"__type":"InternalServiceError","message":"no"}' };
    if (stored === undefined)
      return { status: 400, headers, body: '{"__type":"ResourceNotFoundException","message":"no value"}' };
    return { status: 200, headers, body: JSON.stringify({ SecretString: stored }) };
  });
  vi.stubEnv("AWS_ENDPOINT_URL_SECRETS_MANAGER", secretsManager.url);
  vi.stubEnv("STRIPE_SECRET", "");
  vi.stubEnv("STRIPE_SECRET_ARN", "arn:aws:secretsmanager:eu-central-1:000000000000:secret:Stripe");
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await secretsManager.close();
});
beforeEach(() => {
  start = new Date(start.getTime() + 86_400_000);
  reads = 0;
  store("1");
});
afterEach(() => {
  isDown = false;
});

const store = (name: string, more: object = {}) => {
  stored = JSON.stringify({ secret_key: `sk_test_${name}`, webhook_secret: `whsec_${name}`, ...more });
};
const after = (minutes: number) => new Date(start.getTime() + minutes * 60_000);
const keyAt = async (minutes: number) => (await readStripeSecret(undefined, after(minutes))).secret_key;

describe("the secret of Stripe", () => {
  it("a secret is read once in five minutes, and a new value is used afterwards", async () => {
    expect(await keyAt(0)).toBe("sk_test_1");
    store("2");
    expect(await keyAt(4.9)).toBe("sk_test_1");
    expect(reads).toBe(1);
    expect(await keyAt(5)).toBe("sk_test_2");
    expect(await keyAt(6)).toBe("sk_test_2");
    expect(reads).toBe(2);
  });

  it("a newline at the end of a key or signing secret, as from a file, is ignored", async () => {
    stored = JSON.stringify({ secret_key: "sk_test_1\n", webhook_secret: "whsec_1\n" });
    expect(await readStripeSecret(undefined, after(0))).toEqual({
      secret_key: "sk_test_1",
      webhook_secret: "whsec_1",
    });
  });

  it("a cached secret that is older than the given age is read again", async () => {
    await keyAt(0);
    store("2");
    expect((await readStripeSecret(undefined, after(0.1), 10_000)).secret_key).toBe("sk_test_1");
    expect((await readStripeSecret(undefined, after(0.2), 10_000)).secret_key).toBe("sk_test_2");
  });

  it("the cached secret is used while Secrets Manager fails", async () => {
    await keyAt(0);
    isDown = true;
    expect(await keyAt(10)).toBe("sk_test_1");
    isDown = false;
    store("2");
    expect(await keyAt(15)).toBe("sk_test_2");
  });

  it.each([
    ["the random text that a new stack has", "x7}1-password"],
    ["an empty object", "{}"],
    ["no value", undefined],
  ])("a secret with %s means that Stripe is not set up, and is read again each time", async (_, value) => {
    stored = value;
    const notSetUp = { status: 503, code: "payment_processor_unavailable", headers: { "retry-after": "60" } };
    await expect(keyAt(0)).rejects.toMatchObject(notSetUp);
    store("1");
    expect(await keyAt(0)).toBe("sk_test_1");
  });

  it("a secret of the wrong form throws an error that does not show it", async () => {
    stored = '{"secret_key":"hunter2","webhook_secret":"whsec_1"}';
    await expect(keyAt(0)).rejects.toThrow(/^The Stripe secret must be(?!.*hunter2)/);
  });
});

it("readStripeKey needs a key and no signing secret", async () => {
  stored = '{"secret_key":"rk_test_1"}';
  expect(await readStripeKey(undefined, after(0))).toEqual({ secret_key: "rk_test_1" });
  await expect(readStripeSecret(undefined, after(0))).rejects.toThrow("webhook_secret");
  stored = "the random text of a new stack";
  await expect(readStripeKey(undefined, after(10))).rejects.toMatchObject({ code: "payment_processor_unavailable" });
});

it("the previous signing secret is valid until its end time", () => {
  const previous = { webhook_secret: "whsec_old", until: fromNow({ hours: 1 }).toISOString() };
  const secret = { secret_key: "sk_test_1", webhook_secret: "whsec_new", previous };
  expect(webhookSecretsOf(secret, new Date())).toEqual(["whsec_new", "whsec_old"]);
  expect(webhookSecretsOf(secret, fromNow({ hours: 2 }))).toEqual(["whsec_new"]);
});
