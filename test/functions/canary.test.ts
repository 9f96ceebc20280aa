import { DeleteTableCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeEach, expect, it, vi } from "vitest";
import { handler } from "../../functions/triggers/canary.ts";
import { serve } from "../../tools/local/loopback.ts";
import { type Pages, sitePages } from "../../tools/local/pages.ts";
import { startApi } from "../support/api.ts";

let pages: Pages = sitePages();
const api = startApi({ pages: (request) => pages(request) });

beforeEach(() => {
  pages = sitePages();
  vi.stubEnv("SITE_URL", api.origin);
});
afterAll(() => void vi.unstubAllEnvs());

it("the canary succeeds if the site, the table and the check of tokens work", async () => {
  await expect(handler()).resolves.toBeUndefined();
});

it("the canary fails and names the page if the site does not respond", async () => {
  pages = () => undefined;
  await expect(handler()).rejects.toThrow(/^http:\S+\/explore returned 404, .*route_not_found/);
});

it("the canary fails and names the route if an invalid token is not refused", async () => {
  await using front = await openFront();
  vi.stubEnv("SITE_URL", front.url);
  await expect(handler()).rejects.toThrow(/^http:\S+\/odis\/v1\/me\/data returned 200, \{\}$/);
});

it("the canary fails and names each address if nothing responds", async () => {
  vi.stubEnv("SITE_URL", "http://127.0.0.1:1");
  const paths = ["/explore", "/odis/v1/communities/1", "/odis/v1/me/data"];
  const problems = paths.map((path) => `http://127.0.0.1:1${path} does not respond: fetch failed`);
  await expect(handler()).rejects.toThrow(problems.join(". "));
});

it("the canary fails and names the route if the table cannot be read", async () => {
  const { stack } = api;
  await stack.table.client.send(new DeleteTableCommand({ TableName: "odis-local" }));
  await expect(handler()).rejects.toThrow(/^http:\S+\/odis\/v1\/communities\/1 returned 50\d, /);
});

/** A front of the stack that responds to a route for which a token is required as if it were public. */
async function openFront() {
  const front = await serve({ port: 0, maxBodyBytes: 0 }, async ({ target }) => {
    if (target === "/odis/v1/me/data") return { status: 200, headers: [], body: "{}" };
    const response = await api.send(target);
    return { status: response.status, headers: [], body: await response.text() };
  });
  return { url: front.url, [Symbol.asyncDispose]: front.close };
}
