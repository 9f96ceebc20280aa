import { execFile } from "node:child_process";
import Stripe from "stripe";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventTypes } from "#lib/billing/events.ts";
import { permissions } from "#lib/billing/permissions.ts";
import { registerWebhook } from "#lib/billing/webhook-endpoint.ts";
import type { StripeSecret } from "#lib/secrets.ts";
import { clientOf, start, useLocalStripe } from "../../../packages/stripe-stand-in/test/local.ts";
import { type HttpRequest, type Serving, serve } from "../../../tools/local/loopback.ts";

const local = useLocalStripe();
/** Another account of Stripe. */
const otherAccount = useLocalStripe({ now: () => start, accountId: "acct_fake_other" });

const arn = "arn:aws:secretsmanager:eu-central-1:000000000000:secret:Stripe";
const readingArn = `${arn}Reading`;

type Stored = { readonly SecretId: string; readonly SecretString: string };

/** Stripe with two accounts: sends a request to the one of its key. */
let router: Serving;
const otherKeys = new Set<string>();
beforeAll(async () => {
  router = await serve({ port: 0, maxBodyBytes: 10_000 }, async ({ method, target, headers: sent, body }) => {
    const headers = Object.fromEntries(sent.map(([name, value]) => [name.toLowerCase(), value]));
    const { server } = otherKeys.has((headers.authorization ?? "").replace("Bearer ", "")) ? otherAccount : local;
    const answer = await server.answer({ method, path: target, headers, body: String(body ?? "") });
    return { ...answer, headers: Object.entries(answer.headers) };
  });
});
afterAll(() => router.close());

/** A stand-in for Secrets Manager that records what it is asked to store, or refuses. */
let secretsManager: Serving;
let stored: Stored[] = [];
let isRefused = false;
beforeEach(async () => {
  stored = [];
  isRefused = false;
  secretsManager = await serve({ port: 0, maxBodyBytes: 10_000 }, async ({ body, headers }: HttpRequest) => {
    const target = headers.find(([name]) => name.toLowerCase() === "x-amz-target")?.[1] ?? "";
    if (target.endsWith("GetSecretValue")) {
      const { SecretId } = JSON.parse(String(body)) as Stored;
      const last = stored.findLast((one) => one.SecretId === SecretId);
      const SecretString = last?.SecretString ?? "the random text of a new stack";
      return {
        status: 200,
        headers: [["content-type", "application/x-amz-json-1.1"]],
        body: JSON.stringify({ SecretString }),
      };
    }
    if (isRefused) return { status: 400, headers: [], body: '{"__type":"AccessDeniedException","message":"no"}' };
    stored.push(JSON.parse(String(body)) as (typeof stored)[number]);
    return { status: 200, headers: [["content-type", "application/x-amz-json-1.1"]], body: "{}" };
  });
  for (const { id } of (await local.stripe.webhookEndpoints.list()).data) await local.stripe.webhookEndpoints.del(id);
});
afterEach(() => secretsManager.close());

/** Runs `npm run stripe:setup`. */
const run = (args: readonly string[], variables: Readonly<Record<string, string>> = {}) =>
  new Promise<{ code: number; output: string }>((resolve) => {
    const env = {
      ...process.env,
      STRIPE_SECRET_KEY: "sk_test_local",
      STRIPE_API_BASE: router.url,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: secretsManager.url,
      ...variables,
    };
    execFile(process.execPath, ["tools/scripts/stripe-setup.ts", ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    );
  });

/** Runs `npm run stripe:setup` for a stack on this machine. */
const setup = (args: readonly string[] = [], key = "sk_test_local", functionsKey = "", readingKey = "") =>
  run(["--api-url", "http://127.0.0.1:3000/", "--secret-arn", arn, "--reading-secret-arn", readingArn, ...args], {
    STRIPE_SECRET_KEY: key,
    STRIPE_FUNCTIONS_KEY: functionsKey,
    STRIPE_READING_KEY: readingKey,
  });

const endpoints = async () => (await local.stripe.webhookEndpoints.list()).data;
const keyWith = async (allowed?: readonly string[]) =>
  (await local.control("keys", { permissions: allowed })) as { key: string };
const otherKeyWith = async (allowed?: readonly string[]) => {
  const made = (await otherAccount.control("keys", { permissions: allowed })) as { key: string };
  otherKeys.add(made.key);
  return made;
};
const secretOf = (at: number) => JSON.parse(stored[at]?.SecretString ?? "{}") as Partial<StripeSecret>;

describe("stripe:setup", () => {
  it("stripe:setup registers the handled events in the client's API version and stores the secret without printing it", async () => {
    const { code, output } = await setup();
    expect(code).toBe(0);
    expect(await endpoints()).toMatchObject([
      {
        url: "http://127.0.0.1:3000/webhooks/stripe",
        enabled_events: [...eventTypes],
        api_version: Stripe.API_VERSION,
      },
    ]);
    expect(stored.map(({ SecretId }) => SecretId)).toEqual([arn]);
    const [configuration] = (await local.stripe.billingPortal.configurations.list()).data;
    expect(secretOf(0)).toEqual({
      secret_key: "sk_test_local",
      webhook_secret: expect.stringMatching(/^whsec_/),
      webhook_endpoint: (await endpoints())[0]?.id,
      portal_configuration: configuration?.id,
      account: "acct_fake",
    });
    expect(output).not.toMatch(/whsec_|sk_test/);
  });

  it("stripe:setup accepts keys that end in a newline, as a file has them", async () => {
    const { key } = await keyWith(permissions.write);
    const reading = await keyWith(permissions.read);
    expect(await setup([], "sk_test_local\n", `${key}\r\n`, `${reading.key} \n`)).toMatchObject({ code: 0 });
    expect(stored.map(({ SecretString }) => (JSON.parse(SecretString) as Partial<StripeSecret>).secret_key)).toEqual([
      key,
      reading.key,
    ]);
  });

  it.each([
    ["STRIPE_SECRET_KEY", "whsec_test_1"],
    ["STRIPE_FUNCTIONS_KEY", "rk_test_1 rk_test_2"],
    ["STRIPE_READING_KEY", "Bearer rk_test_1"],
  ])("stripe:setup refuses a %s that is no key of Stripe, and does not print it", async (name, text) => {
    const { code, output } = await run(["--api-url", "http://127.0.0.1:3000/"], { [name]: text });
    expect({ code, output }).toEqual({ code: 2, output: `${name} must be a key of Stripe: sk_… or rk_…\n` });
  });

  it("--check lists the active payment methods that settle late", async () => {
    const settles = "give access before the money has arrived";
    expect((await setup(["--check"])).output).not.toContain(settles);
    const [configuration] = (await local.stripe.paymentMethodConfigurations.list()).data;
    await local.stripe.paymentMethodConfigurations.update(configuration?.id ?? "", {
      us_bank_account: { display_preference: { preference: "on" } },
      sepa_debit: { display_preference: { preference: "on" } },
    });
    expect((await setup(["--check"])).output).toContain(`${settles} (on: sepa_debit, us_bank_account)`);

    const allowed = [...permissions.write, "webhook_endpoints:read"];
    const { key } = (await local.control("keys", { permissions: allowed })) as { key: string };
    expect((await setup(["--check"], key)).output).toContain(`${settles} (bank debits)`);
  });

  it("stripe:setup is idempotent", async () => {
    await setup();
    const before = await endpoints();
    const { code, output } = await setup();
    expect({ code, endpoints: await endpoints(), stored: stored.length }).toEqual({
      code: 0,
      endpoints: before,
      stored: 1,
    });
    expect(output).toContain("already");
  });

  it("stripe:setup prints the problems of an existing endpoint and does not change it", async () => {
    const url = "http://127.0.0.1:3000/webhooks/stripe";
    await local.stripe.webhookEndpoints.create({ url, enabled_events: ["invoice.paid"] });
    const { code, output } = await setup();
    expect(code).toBe(1);
    expect(output).toContain("it is not sent refund.failed");
    expect((await endpoints()).map(({ enabled_events }) => enabled_events)).toEqual([["invoice.paid"]]);
  });

  it("--remove removes the endpoint of the stack and no other, and stores nothing", async () => {
    await setup();
    const other = await local.stripe.webhookEndpoints.create({
      url: "http://127.0.0.1:3000/other",
      enabled_events: ["invoice.paid"],
    });
    expect(await setup(["--remove"])).toMatchObject({ code: 0, output: expect.stringMatching(/^Removed we_/) });
    expect((await endpoints()).map(({ id }) => id)).toEqual([other.id]);
    expect(stored).toHaveLength(1);
    expect(await setup(["--remove"])).toMatchObject({
      code: 0,
      output: expect.stringContaining("There is no endpoint"),
    });
    expect((await setup(["--remove", "--replace"])).code).toBe(2);
  });

  it("after the address of a stage has changed, its former endpoint is named with the command that removes it", async () => {
    await setup(["--api-url", "http://127.0.0.1:3001"]);
    await local.stripe.webhookEndpoints.create({ url: "http://127.0.0.1:4000/shop", enabled_events: ["invoice.paid"] });
    for (const args of [[], ["--check"]]) {
      const { output } = await setup(["--stage", "prod", ...args]);
      expect(output).toContain("Stripe also sends events to http://127.0.0.1:3001/webhooks/stripe.");
      expect(output).toContain(
        "Run: STRIPE_SECRET_KEY=sk_… npm run stripe:setup -- --stage prod --remove --api-url http://127.0.0.1:3001\n",
      );
      expect(output).not.toContain("/shop");
    }
    // Neither AWS nor the outputs of a stack are needed to remove it.
    const args = "--stage prod --outputs none.json --remove --api-url http://127.0.0.1:3001".split(" ");
    expect(await run(args, { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" })).toMatchObject({ code: 0 });
    expect((await setup(["--check"])).output).not.toContain("also sends");
  });

  it("--replace replaces an endpoint and its secret", async () => {
    await setup();
    const [old] = await endpoints();
    expect((await setup(["--replace"])).code).toBe(0);
    const now = await endpoints();
    expect(now).toHaveLength(1);
    expect(now[0]?.id).not.toBe(old?.id);
    expect(secretOf(1).webhook_secret).not.toBe(secretOf(0).webhook_secret);
    const { previous } = secretOf(1);
    expect(previous?.webhook_secret).toBe(secretOf(0).webhook_secret);
    expect(Date.parse(previous?.until ?? "") - Date.now()).toBeGreaterThan(23 * 3_600_000);
  });

  it("--replace succeeds if the removal of the old endpoint is repeated after a lost response", async () => {
    await setup();
    const [old] = await endpoints();
    const url = "http://127.0.0.1:3000/webhooks/stripe";
    const stripe = clientOf(local.server.url, { maxNetworkRetries: 1 });
    // Storing the secret is followed by the removal of the old endpoint. That call fails.
    const storeSecret = async () => void (await local.control("faults", { fail_next: { status: 500, after: true } }));
    expect(await registerWebhook(stripe, url, { replace: true, storeSecret })).toMatchObject({
      outcome: "created",
      removed: [old?.id],
    });
    expect(await endpoints()).toHaveLength(1);
  });

  it("--replace --revoke invalidates the old signing secret immediately", async () => {
    await setup();
    expect((await setup(["--replace", "--revoke"])).code).toBe(0);
    expect(secretOf(1)).not.toHaveProperty("previous");
    expect((await setup(["--revoke"])).code).toBe(2);
  });

  it("stripe:setup stores a restricted key for the functions unless it lacks a permission", async () => {
    const { key: lacking } = await keyWith(permissions.write.filter((one) => one !== "refunds:write"));
    const refused = await setup([], "sk_test_local", lacking);
    expect(refused.code).toBe(1);
    expect(refused.output).toContain("lacks refunds:write. Nothing was changed");
    expect([await endpoints(), stored]).toEqual([[], []]);

    const { key } = await keyWith(permissions.write);
    await setup();
    expect((await setup([], "sk_test_local", key)).code).toBe(0);
    expect(secretOf(1)).toEqual({ ...secretOf(0), secret_key: key });
  });

  it("stripe:setup without STRIPE_FUNCTIONS_KEY keeps the restricted key of the functions, and says so", async () => {
    const { key } = await keyWith(permissions.write);
    await setup([], "sk_test_local", key);
    for (const args of [[], ["--replace"]]) {
      const { code, output } = await setup(args);
      expect({ code, output }).toEqual({
        code: 0,
        output: expect.stringContaining(
          "Functions keep their restricted key. To store another one, set STRIPE_FUNCTIONS_KEY",
        ),
      });
      expect(secretOf(stored.length - 1).secret_key).toBe(key);
    }
    expect((await setup([], "sk_test_local", "sk_test_local")).code).toBe(0);
    expect(secretOf(stored.length - 1).secret_key).toBe("sk_test_local");
  });

  it("stripe:setup stops and names STRIPE_FUNCTIONS_KEY if Stripe refuses the stored restricted key", async () => {
    const { key } = await keyWith(permissions.write);
    await setup([], "sk_test_local", key);
    const before = [await endpoints(), stored.length];
    const { key: next } = (await local.control(`keys/${key}/roll`)) as { key: string };
    for (const args of [[], ["--replace"]])
      expect(await setup(args)).toEqual({
        code: 1,
        output: expect.stringMatching(/^Stripe refuses the restricted key .* STRIPE_FUNCTIONS_KEY=rk_….*\n$/),
      });
    expect([await endpoints(), stored.length]).toEqual(before);
    expect((await setup([], "sk_test_local", next)).code).toBe(0);
    expect(secretOf(stored.length - 1).secret_key).toBe(next);
  });

  it("stripe:setup stores a key for the routes that only read unless it lacks a permission or may write", async () => {
    expect((await setup()).output).toContain("return 503 until STRIPE_READING_KEY");
    const { key: lacking } = await keyWith(permissions.read.filter((one) => one !== "charges:read"));
    const { key: writing } = await keyWith([...permissions.read, "refunds:write"]);
    for (const [key, wrong] of [
      [lacking, "it lacks charges:read"],
      [writing, "it has refunds:write"],
    ] as const) {
      const { code, output } = await setup([], "sk_test_local", "", key);
      expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining(`is not stored: ${wrong}`) });
    }
    expect(stored.map(({ SecretId }) => SecretId)).toEqual([arn]);
    expect((await setup(["--check"])).output).toContain("WRONG  Read-only key: none is stored");

    const { key } = await keyWith(permissions.read);
    expect((await setup([], "sk_test_local", "", key)).code).toBe(0);
    expect(stored.at(-1)).toMatchObject({ SecretId: readingArn, SecretString: JSON.stringify({ secret_key: key }) });
    expect((await setup(["--check"])).code).toBe(0);
  });

  it("--check lists problems and manual checks and changes nothing", async () => {
    const before = await setup(["--check"]);
    expect(before.code).toBe(1);
    expect(before.output).toMatch(/WRONG {2}Webhook: there is no endpoint for http/);
    expect(before.output).toContain("WRONG  Secret: nothing is stored");
    expect(before.output).toContain("after the last failed retry");
    expect([await endpoints(), stored]).toEqual([[], []]);

    const { key } = await keyWith(permissions.read);
    await setup([], "sk_test_local", "", key);
    const [endpoint] = await endpoints();
    expect((await setup(["--check"])).code).toBe(0);
    await local.stripe.webhookEndpoints.del(endpoint?.id ?? "");
    await local.stripe.webhookEndpoints.create({
      url: endpoint?.url ?? "",
      enabled_events: [...eventTypes, "product.created"],
    });
    const { code, output } = await setup(["--check"]);
    expect(code).toBe(1);
    expect(output).toContain("it is sent product.created, which nothing here handles");
  });

  it("the signing secret of another endpoint at the same address is reported, and replaced with --replace", async () => {
    const { key } = await keyWith(permissions.read);
    await setup([], "sk_test_local", "", key);
    const [first] = await endpoints();
    await local.stripe.webhookEndpoints.del(first?.id ?? "");
    await registerWebhook(local.stripe, first?.url ?? "", { storeSecret: async () => {} });
    const [second] = await endpoints();
    expect(await setup(["--check"])).toEqual({
      code: 1,
      output: expect.stringContaining(`WRONG  Webhook ${second?.id}: its signing secret is not stored\n`),
    });
    expect(await setup()).toEqual({
      code: 1,
      output: expect.stringContaining("Its signing secret is not stored. Run the command again with --replace"),
    });
    expect((await setup(["--replace"])).code).toBe(0);
    expect((await setup(["--check"])).code).toBe(0);
  });

  it("stripe:setup prints the secret with the command that stores it if it may not store it itself", async () => {
    isRefused = true;
    const { code, output } = await setup();
    expect(code).toBe(1);
    expect(output).toMatch(/aws secretsmanager put-secret-value --secret-id arn:.*Stripe/);
    expect(output).toMatch(/"webhook_secret":"whsec_\w+"/);
    expect(output).not.toContain("sk_test_local");
    await setup(["--replace"]);
    expect(await endpoints()).toHaveLength(2);
  });

  it("the printed command stores the key of the functions if there is one", async () => {
    isRefused = true;
    const { key } = await keyWith(permissions.write);
    const { output } = await setup([], "sk_test_local", key);
    expect(output).toContain(`"secret_key":"'$STRIPE_FUNCTIONS_KEY'"`);
    expect(output).not.toContain(key);

    isRefused = false;
    await setup(["--replace"], "sk_test_local", key);
    isRefused = true;
    expect((await setup(["--replace"])).output).toContain(
      "with STRIPE_FUNCTIONS_KEY set to the key that functions use",
    );
  });

  it("the printed command keeps the previous signing secret valid", async () => {
    await setup();
    const { webhook_secret } = secretOf(0);
    isRefused = true;
    const { output } = await setup(["--replace"]);
    const [, text = ""] = /--secret-string '(.*)'$/m.exec(output) ?? [];
    const secret = JSON.parse(text.replace("'$STRIPE_SECRET_KEY'", "sk_test_local")) as StripeSecret;
    expect(secret.webhook_secret).not.toBe(webhook_secret);
    expect(secret.previous).toEqual({ webhook_secret, until: expect.any(String) });
  });

  it("a malformed secret is named, and replaced with --replace", async () => {
    await setup();
    for (const SecretId of [arn, readingArn]) stored.push({ SecretId, SecretString: '{"key":"sk_test_local"}' });
    const checked = await setup(["--check"]);
    expect(checked.code).toBe(1);
    expect(checked.output).toContain("WRONG  The Stripe secret must be");
    expect(checked.output).toContain("WRONG  The Stripe secret must have a secret_key");
    expect((await setup()).output).toContain("Run the command again with --replace");
    const { key } = await keyWith(permissions.read);
    expect((await setup(["--replace"], "sk_test_local", "", key)).code).toBe(0);
    expect((await setup(["--check"])).code).toBe(0);
  });

  it("a key of another account than the stored one is refused, and nothing is changed", async () => {
    const { key: first } = await keyWith();
    await setup([], first);
    const before = [await endpoints(), stored.length];
    const { key } = await otherKeyWith();
    for (const args of [[], ["--replace"], ["--check"]])
      expect(await setup(args, key)).toEqual({
        code: 1,
        output: expect.stringContaining(
          "STRIPE_SECRET_KEY belongs to acct_fake_other, but the stored key belongs to acct_fake",
        ),
      });
    // The stored key was revoked.
    const { key: next } = (await local.control(`keys/${first}/roll`)) as { key: string };
    expect((await setup([], key)).output).toContain("STRIPE_SECRET_KEY belongs to acct_fake_other");
    expect((await setup([], next)).code).toBe(0);
    expect((await otherAccount.stripe.webhookEndpoints.list()).data).toEqual([]);
    expect([await endpoints(), stored.length - 1]).toEqual(before);
  });

  it("restricted keys of another account are refused, and nothing is changed", async () => {
    const { key: functionsKey } = await otherKeyWith(permissions.write);
    const { key: readingKey } = await otherKeyWith(permissions.read);
    const functions = await setup([], "sk_test_local", functionsKey);
    expect(functions.code).toBe(1);
    expect(functions.output).toContain(
      "STRIPE_FUNCTIONS_KEY belongs to acct_fake_other, but STRIPE_SECRET_KEY belongs to acct_fake. Nothing was changed",
    );
    const reading = await setup([], "sk_test_local", "", readingKey);
    expect(reading.code).toBe(1);
    expect(reading.output).toContain("The read-only key belongs to acct_fake_other");
    expect([await endpoints(), stored]).toEqual([[], []]);

    await setup();
    stored.push({ SecretId: readingArn, SecretString: JSON.stringify({ secret_key: readingKey }) });
    expect(await setup(["--check"])).toEqual({
      code: 1,
      output: expect.stringContaining(
        "WRONG  The read-only key belongs to acct_fake_other, but the stored key belongs to acct_fake\n",
      ),
    });
  });

  it("a key of another mode than the stored one is refused, and the command that empties the secret is printed", async () => {
    await setup();
    const SecretString = JSON.stringify({ ...secretOf(0), secret_key: "sk_live_1" });
    stored.push({ SecretId: arn, SecretString });
    const { code, output } = await setup(["--replace"]);
    expect(code).toBe(1);
    expect(output).toContain("STRIPE_SECRET_KEY is of the test mode, but the stored key is of the live mode");
    expect(stored).toHaveLength(2);
    const [, emptied = ""] = /--secret-id arn:\S+Stripe --secret-string '(.*)'/.exec(output) ?? [];
    stored.push({ SecretId: arn, SecretString: emptied });
    expect((await setup(["--replace"])).code).toBe(0);
  });

  it("stripe:setup prints its usage if the key is missing", async () => {
    const { code, output } = await setup([], "");
    expect(code).toBe(2);
    expect(output).toContain("Usage: STRIPE_SECRET_KEY=sk_…");
    expect(await endpoints()).toEqual([]);
  });

  it("stripe:setup sends a live key only to Stripe's host", async () => {
    const { code, output } = await setup([], "sk_live_1");
    expect(code).not.toBe(0);
    expect(output).toContain("must not go to another host");
  });
});
