import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as tiers from "#lib/contract/tiers.ts";
import { installTool } from "../../tools/build/tool.ts";
import { type Serving, serve } from "../../tools/local/loopback.ts";
import { admin, startApi } from "../support/api.ts";
import { useBrowser } from "../support/browser.ts";
import { hasBrowser } from "../support/chromium.ts";
import { aCommunity } from "../support/given.ts";

const api = startApi();
const email = "fan@example.com";
const password = "Another-origin-1";

/** Functions that run in the page: AWS Amplify's sign-in library, with promises instead of callbacks. */
const app = `
const { AuthenticationDetails, CognitoUser, CognitoUserPool } = AmazonCognitoIdentity;
const pool = (settings) => new CognitoUserPool({ UserPoolId: settings.poolId, ClientId: settings.clientId, endpoint: settings.endpoint });
const called = (call) => new Promise((resolve, reject) => call((error, result) => (error ? reject(error) : resolve(result))));
const user = (settings, Username) => new CognitoUser({ Username, Pool: pool(settings) });
const signUp = (settings, email, password) => called((callback) => pool(settings).signUp(email, password, [], null, callback));
const confirm = (settings, email, code) => called((callback) => user(settings, email).confirmRegistration(code, true, callback));
const signIn = (settings, Username, Password) => new Promise((resolve, reject) =>
  user(settings, Username).authenticateUser(new AuthenticationDetails({ Username, Password }), {
    onSuccess: (session) => resolve(session.getAccessToken().getJwtToken()),
    onFailure: reject,
  }));
const ask = async (path, { token, ...init } = {}) => {
  const headers = { ...(token && { authorization: "Bearer " + token }), ...(init.body && { "content-type": "application/json" }), ...init.headers };
  const response = await fetch(path, { ...init, headers });
  return { status: response.status, etag: response.headers.get("etag"), body: await response.json() };
};
`;

describe.skipIf(!hasBrowser("pages of another origin"))("a page of another origin in Chromium", () => {
  const browser = useBrowser();
  let site: Serving;
  let community: Awaited<ReturnType<typeof aCommunity>>;
  let tierId: number;

  beforeAll(async () => {
    const folder = join(installTool("cognito-library"), "node_modules/amazon-cognito-identity-js/dist");
    const library = await readFile(join(folder, "amazon-cognito-identity.min.js"), "utf8");
    const files: Readonly<Record<string, [type: string, body: string]>> = {
      "/library.js": ["text/javascript", library],
      "/app.js": ["text/javascript", app],
    };
    const html = `<!doctype html><title>App</title><link rel="icon" href="data:,"><script src="/library.js"></script><script src="/app.js"></script>`;
    site = await serve({ port: 0, maxBodyBytes: 0 }, async ({ target }) => {
      const [type, body] = files[target] ?? ["text/html", html];
      return { status: 200, headers: [["content-type", type]], body };
    });
    community = await aCommunity(api.table, { owner_id: 3 });
    const tier = { name: "Fan", monthly_price_dollars: 10 };
    const created = await api.call(tiers.create, { as: admin, params: { community_id: community.id }, body: { tier } });
    tierId = created.body.id;
  });
  afterAll(() => site.close());

  /** Opens the app as `localhost` instead of `127.0.0.1`. Returns its origin and the settings of the user pool. */
  const open = async (page: Page) => {
    const origin = site.url.replace("127.0.0.1", "localhost");
    await page.goto(origin);
    const { USER_POOL_ID: poolId, CLIENT_ID: clientId } = api.stack.environment;
    return { origin, settings: { poolId, clientId, endpoint: api.stack.cognito.url } };
  };
  /** Calls a function of the page. */
  const run = <T>(page: Page, name: string, ...args: unknown[]) =>
    page.evaluate<T>(`${name}(...${JSON.stringify(args)})`);

  it("a page of another origin signs a person up and in, reads and writes the API, and returns from a payment on the hosted page", async () => {
    const { page } = browser;
    const { origin, settings } = await open(page);
    await run(page, "signUp", settings, email, password);
    expect(await run(page, "confirm", settings, email, "000000")).toBe("SUCCESS");
    const token = await run<string>(page, "signIn", settings, email, password);

    type Answer = { status: number; etag: string | null; body: Record<string, unknown> };
    const ask = (path: string, init: object = {}) => run<Answer>(page, "ask", api.origin + path, { token, ...init });
    expect(await ask("/odis/v1/me")).toMatchObject({ status: 200, body: { user: { email } } });
    const shown = await ask(`/odis/v1/communities/${community.id}`);
    expect(shown).toMatchObject({ status: 200, etag: expect.stringMatching(/^"/) });
    const body = JSON.stringify({ community: { name: "Mine now" } });
    const patched = { method: "PATCH", body, headers: { "if-match": shown.etag } };
    expect(await ask(`/odis/v1/communities/${community.id}`, patched)).toMatchObject({ status: 403 });

    const addresses = { success_url: `${origin}/joined`, cancel_url: `${origin}/tiers` };
    const checkout = await ask(`/odis/v1/communities/${community.id}/checkout_sessions`, {
      method: "POST",
      body: JSON.stringify({ tier_id: tierId, ...addresses }),
      headers: { "idempotency-key": "one-checkout" },
    });
    expect(checkout.status).toBe(201);
    await page.goto(String(checkout.body.url));
    await page.getByLabel("Name", { exact: true }).fill("Fan");
    await page.getByRole("button", { name: /^Pay \$/ }).click();
    await page.waitForURL(`${origin}/joined`);
  });
});
