import { createOdis, createSignIn, OdisProblem, type OwnChangeRequest } from "odis/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { example } from "../../client/example.ts";
import { seed } from "../../tools/local/demo/demo.ts";
import { people } from "../../tools/local/demo/people.ts";
import { serve } from "../../tools/local/loopback.ts";
import { sitePages } from "../../tools/local/pages.ts";
import { type Stack, startStack } from "../../tools/local/stack.ts";
import { tokenFor } from "../../tools/local/users.ts";
import { broken } from "./browser.ts";

let stack: Stack;
let token: string;
beforeAll(async () => {
  stack = await startStack({ pages: sitePages({ deployment: () => stack.info }) });
  await seed(stack, new Date());
  token = await tokenFor(stack.cognito, { id: people.owner.id, expiresIn: 600 });
});
afterAll(() => stack.stop());

const members = "/odis/v1/communities/{community_id}/members";
const path = { community_id: 1 };

describe("the client", () => {
  it("client/example.ts refunds only once, however often it runs", async () => {
    const first = await example(stack.url, () => token);
    expect(first.at(-1)).toMatch(/^refunded 250 cents of ch_/);
    expect(first.length).toBeGreaterThan(20);
    expect((await example(stack.url, () => token)).at(-1)).toBe(first.at(-1));
  });

  it("iterate reads a list to its end and returns each record once", async () => {
    const odis = createOdis({ baseUrl: stack.url, token: () => token });
    const ids: number[] = [];
    for await (const { id } of odis.iterate(members, { params: { path, query: { per: 7 } } })) ids.push(id);
    const { total } = await odis.get(members, { params: { path } });
    expect(new Set(ids).size).toBe(ids.length);
    expect(total).toBe(ids.length);
    expect(ids.length).toBeGreaterThan(60);
  });

  it("iterate reads a list with page numbers to its end, from the given page on", async () => {
    const odis = createOdis({ baseUrl: stack.url, token: () => token });
    const benefits = "/odis/v1/communities/{community_id}/benefits";
    const namesFrom = async (page: number, per: number) => {
      const names: string[] = [];
      const query = { page, per, status: "all" } as const;
      for await (const { name } of odis.iterate(benefits, { params: { path, query } })) names.push(name);
      return names;
    };
    const { data, total } = await odis.get(benefits, { params: { path, query: { per: 100, status: "all" } } });
    const names = data.map(({ name }) => name);
    expect(total).toBeGreaterThan(4);
    expect(await namesFrom(1, 2)).toEqual(names);
    expect(await namesFrom(2, 2)).toEqual(names.slice(2));
    expect(await namesFrom(9, 2)).toEqual([]);
  });

  it("a server with an API key reads the members of its community, and nothing that the role of the key does not cover", async () => {
    const owner = createOdis({ baseUrl: stack.url, token: () => token });
    const { id, key } = await owner.post("/odis/v1/communities/{community_id}/api_keys", {
      params: { path },
      body: { api_key: { name: "Warehouse", role: "support" } },
    });
    const server = createOdis({ baseUrl: stack.url, apiKey: key });
    const { total } = await owner.get(members, { params: { path } });
    expect(await server.get(members, { params: { path } })).toMatchObject({ total });
    await expect(server.get("/odis/v1/me")).rejects.toMatchObject({ status: 403, code: "forbidden" });
    await owner.delete("/odis/v1/api_keys/{id}", { params: { path: { id } } });
    await expect(server.get(members, { params: { path } })).rejects.toMatchObject({ code: "invalid_token" });
  });

  it("a member changes their plan as it was previewed, plans a smaller one, and takes that back", async () => {
    const membersToken = await tokenFor(stack.cognito, { id: people.member.id, expiresIn: 600 });
    const odis = createOdis({ baseUrl: stack.url, token: () => membersToken });
    const change = (body: OwnChangeRequest) =>
      odis.post("/odis/v1/communities/{community_id}/membership/change_subscription", { params: { path }, body });
    const preview = await change({ tier_id: 13, dry_run: true });
    expect(preview).toMatchObject({ status: "preview", when: "now", next_charge_cents: 9000 });
    const { status, charged_now_cents, membership } = await change({
      tier_id: 13,
      preview_id: preview.preview_id ?? "",
    });
    expect([status, charged_now_cents, membership.tier?.id]).toEqual(["changed", preview.charged_now_cents, 13]);
    const scheduled = await change({ tier_id: 11, interval: "month" });
    expect(scheduled.membership.scheduled_change).toMatchObject({ tier: { id: 11 }, interval: "month" });
    const kept = await odis.delete("/odis/v1/communities/{community_id}/membership/scheduled_change", {
      params: { path },
    });
    expect([kept.scheduled_change, kept.price_cents]).toEqual([null, 9000]);
  });

  it("the client throws a refused request as OdisProblem with code, errors and request id", async () => {
    const odis = createOdis({ baseUrl: stack.url, token: async () => token });
    const query = { per: -1 };
    const refused = await odis.get(members, { params: { path, query } }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(OdisProblem);
    expect(refused).toMatchObject({ code: "validation_failed", status: 422, errors: [{ parameter: "per" }] });
    expect((refused as OdisProblem).requestId).toBeTruthy();
    const anonymous = createOdis({ baseUrl: stack.url });
    await expect(anonymous.get(members, { params: { path } })).rejects.toMatchObject({ code: "missing_token" });
  });
});

describe("createOdis.discover", () => {
  it("createOdis.discover returns the settings of a deployment, which createOdis and createSignIn take", async () => {
    const deployment = await createOdis.discover(`${stack.url}/`);
    expect(deployment).toEqual({
      baseUrl: stack.url,
      region: "eu-central-1",
      userPoolId: stack.environment.USER_POOL_ID,
      clientId: stack.environment.CLIENT_ID,
      endpoint: stack.cognito.url,
      stage: "local",
      version: "1.0.0",
      joinUrl: "http://localhost:5173/club.html?c={slug}#tier-{tier_id}",
    });
    expect(await createOdis(deployment).get("/health")).toMatchObject({ version: deployment.version });
    await expect(createSignIn(deployment).refresh("unknown")).rejects.toMatchObject({ code: "NotAuthorizedException" });
  });

  it("a page of any origin may read the settings of a deployment", async () => {
    const headers = { origin: "https://fans.example.com" };
    const response = await fetch(`${stack.url}/.well-known/odis.json`, { headers });
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("content-type")).toBe("application/json");
  });

  it("createOdis.discover throws an OdisProblem if there is no Odis at the URL", async () => {
    await expect(createOdis.discover(stack.cognito.url)).rejects.toMatchObject({
      name: "OdisProblem",
      status: 404,
    });
  });

  it("createOdis.discover says what it found where if the URL is that of an app, which answers every path with its page", async () => {
    const html = [["content-type", "text/html; charset=utf-8"]] as const;
    const app = await serve({ port: 0, maxBodyBytes: 0 }, async () => ({ status: 200, headers: html, body: "<html>" }));
    await expect(createOdis.discover(app.url)).rejects.toMatchObject({
      name: "OdisProblem",
      code: "unknown",
      message: `${app.url}/.well-known/odis.json is not Odis: 200 text/html; charset=utf-8`,
    });
    await app.close();
  });

  it("createOdis.discover throws an OdisProblem if the JSON at the URL is not the settings of a deployment", async () => {
    const json = [["content-type", "application/json"]] as const;
    const other = await serve({ port: 0, maxBodyBytes: 0 }, async () => ({
      status: 200,
      headers: json,
      body: '{"ok":1}',
    }));
    await expect(createOdis.discover(other.url)).rejects.toMatchObject({
      name: "OdisProblem",
      status: 200,
      code: "unknown",
      message: `${other.url} is not Odis`,
    });
    await other.close();
  });
});

describe("a request that fails", () => {
  /** Creates a client of a service that returns the given answers in order. Records the requests. */
  function serviceOf(...answers: readonly (Response | Error)[]) {
    const asked: Request[] = [];
    const odis = createOdis({
      baseUrl: "http://service",
      retries: { attempts: 3 },
      async fetch(request) {
        const answer = answers[asked.push(request) - 1];
        if (!answer || answer instanceof Error) throw answer ?? new Error("Asked too often");
        return answer;
      },
    });
    return { odis, asked };
  }
  const later = (status: number) => new Response("{}", { status, headers: { "retry-after": "0" } });
  const done = () => Response.json({ ok: true });
  const lost = () => new TypeError("fetch failed");
  const of = { params: { path: { community_id: 1, id: 2 } } };
  const blocking = `${members}/{id}/block` as const;

  it.each([
    ["a read", (odis: ReturnType<typeof createOdis>) => odis.get(`${members}/{id}`, of)],
    ["a POST", (odis: ReturnType<typeof createOdis>) => odis.post(blocking, of)],
    ["a deletion", (odis: ReturnType<typeof createOdis>) => odis.delete(`${members}/{id}/unblock`, of)],
  ])("the client retries a request until there is a response: %s", async (_, ask) => {
    const { odis, asked } = serviceOf(lost(), later(503), done());
    await expect(ask(odis)).resolves.toEqual({ ok: true });
    expect(asked).toHaveLength(3);
  });

  it("the client retries a POST with the same Idempotency-Key, which a program may choose", async () => {
    const { odis, asked } = serviceOf(lost(), later(409), done());
    await odis.post(blocking, of);
    const keys = asked.map(({ headers }) => headers.get("idempotency-key"));
    expect(new Set(keys)).toEqual(new Set([expect.stringMatching(/^[0-9a-f-]{36}$/)]));

    const chosen = serviceOf(done());
    const header = { "Idempotency-Key": "mine" };
    await chosen.odis.post(blocking, { params: { ...of.params, header } });
    expect(chosen.asked[0]?.headers.get("idempotency-key")).toBe("mine");
  });

  it("the client retries a POST whose response breaks off, with the same Idempotency-Key", async () => {
    const { odis, asked } = serviceOf(await broken(), done());
    await expect(odis.post(blocking, of)).resolves.toEqual({ ok: true });
    expect(asked).toHaveLength(2);
    expect(new Set(asked.map(({ headers }) => headers.get("idempotency-key"))).size).toBe(1);
  });

  it("the client gives up after the maximum number of attempts, or immediately if a retry is not safe", async () => {
    const always = serviceOf(later(429), later(429), later(429));
    await expect(always.odis.post(blocking, of)).rejects.toMatchObject({ status: 429 });

    const body = { member: {} };
    const edit = serviceOf(lost(), done());
    await expect(edit.odis.patch(`${members}/{id}`, { ...of, body })).rejects.toThrow("fetch failed");
    const checked = serviceOf(lost(), done());
    const params = { ...of.params, header: { "If-Match": '"1"' } };
    await expect(checked.odis.patch(`${members}/{id}`, { params, body })).resolves.toEqual({ ok: true });
  });

  it.each([
    ...[409, 429, 502, 503, 504].flatMap((status) => [
      { status, seconds: "0", sent: 2 },
      { status, seconds: "11", sent: 1 },
    ]),
    ...[429, 503].map((status) => ({ status, seconds: undefined, sent: 2 })),
    ...[409, 502, 504].map((status) => ({ status, seconds: undefined, sent: 1 })),
    ...[400, 401, 403, 404, 412, 422, 500, 501].map((status) => ({ status, seconds: "0", sent: 1 })),
  ])(
    "the client sends a request $sent times if the first response is $status with Retry-After $seconds",
    async (row) => {
      const { status, seconds, sent } = row;
      const headers = seconds === undefined ? {} : { "retry-after": seconds };
      const { odis, asked } = serviceOf(new Response("{}", { status, headers }), done());
      const outcome = await odis.post(blocking, of).catch((error: unknown) => error);
      expect(outcome).toMatchObject(sent === 1 ? { status, code: "unknown" } : { ok: true });
      expect(asked).toHaveLength(sent);
    },
  );
});
