import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { stripe as webhook } from "#lib/contract/webhooks.ts";
import { admin, startApi } from "../support/api.ts";
import { aCommunity, aMember } from "../support/given.ts";
import { rawRequests } from "../support/raw.ts";
import { setUp } from "../support/set-up.ts";

const api = startApi();
const send = rawRequests(api);

const community = setUp(() => aCommunity(api.table));
const member = setUp(() => aMember(api.table, community, { stripe_customer_id: "cus_ana" }));

it.each([
  "../refunds",
  "ch_1/refunds",
  "ch_1?expand[]=customer",
  "ch_1#",
  "ch_1%2f..",
  "ch_1\n",
  "ch_ 1",
  "",
  "cus_1",
  7,
])("the charge id %j is 422 without a request to Stripe", async (charge_id) => {
  const path = `/odis/v1/communities/${community.id}/members/${member.id}/refund_charge`;
  const answer = await send({ as: community.owner, method: "POST", path, body: { charge_id } });
  expect(answer).toMatchObject({ status: 422, errors: [{ pointer: "/charge_id" }] });
});

it.each([
  "https://evil.example/",
  "//evil.example/",
  "javascript:alert(1)",
  "data:text/html,x",
  "blob:{origin}/x",
  "{origin}.evil.example/",
  "{origin}@evil.example/",
  "http://user:pass@{host}/",
  "https://{host}/",
  "http://127.0.0.1.evil.example/",
  "",
])("the redirect URL %s is 422 for checkout and portal", async (template) => {
  const url = template.replace("{origin}", api.origin).replace("{host}", new URL(api.origin).host);
  const own = `${api.origin}/`;
  const at = `/odis/v1/communities/${community.id}`;
  const { tier } = community;
  const requests = [
    {
      path: `${at}/checkout_sessions`,
      body: { tier_id: tier.id, success_url: url, cancel_url: own },
      at: "/success_url",
    },
    {
      path: `${at}/checkout_sessions`,
      body: { tier_id: tier.id, success_url: own, cancel_url: url },
      at: "/cancel_url",
    },
    { path: `${at}/billing_portal_sessions`, body: { return_url: url }, at: "/return_url" },
  ];
  for (const { path, body, at: pointer } of requests) {
    const { status, errors } = await send({ as: { id: 78 }, method: "POST", path, body });
    expect({ status, pointer: errors?.[0]?.pointer }).toEqual({ status: 422, pointer });
  }
});

describe("the webhook", () => {
  const secret = "whsec_local";
  const now = () => Math.floor(Date.now() / 1000);
  const mac = (text: string, time: number, key = secret) =>
    createHmac("sha256", key).update(`${time}.${text}`).digest("hex");
  const post = (body: string | Uint8Array, signature?: string) =>
    send({
      method: webhook.method,
      path: webhook.path,
      body,
      headers: signature === undefined ? {} : { "stripe-signature": signature },
    });
  const event = JSON.stringify({ id: "evt_1", object: "event", type: "product.created", livemode: false });

  it("a valid signature is accepted, which shows that other requests are refused for their signature", async () => {
    expect(await post(event, `t=${now()},v1=${mac(event, now())}`)).toMatchObject({ status: 200 });
  });

  it.each<[string, (time: number) => string | undefined]>([
    ["none", () => undefined],
    ["an empty one", () => ""],
    ["a wrong one", (time) => `t=${time},v1=${"0".repeat(64)}`],
    ["one by another secret", (time) => `t=${time},v1=${mac(event, time, "whsec_other")}`],
    ["one of scheme v0 only", (time) => `t=${time},v0=${mac(event, time)}`],
    ["one without a time", (time) => `v1=${mac(event, time)}`],
    ["one with a time that is no number", (time) => `t=NaN,v1=${mac(event, time)}`],
    ["an old one with a new time", (time) => `t=${time},v1=${mac(event, time - 360)}`],
    ["one of six minutes ago", (time) => `t=${time - 360},v1=${mac(event, time - 360)}`],
    ["130 wrong ones", (time) => `t=${time}${`,v1=${"0".repeat(64)}`.repeat(130)}`],
    ["one that is cut", (time) => `t=${time},v1=${mac(event, time).slice(0, 63)}`],
  ])("a webhook event with an invalid signature is 400: %s", async (_, signature) => {
    expect(await post(event, signature(now()))).toMatchObject({ status: 400, code: "invalid_signature" });
  });

  it.each<[string, string | Uint8Array]>([
    ["binary", new Uint8Array([0, 255, 254, 128, 0])],
    ["empty", ""],
  ])("a body that is %s is 400 with the signature of another body", async (_, body) => {
    const answer = await post(body, `t=${now()},v1=${mac(event, now())}`);
    expect(answer).toMatchObject({ status: 400, code: "invalid_signature" });
  });

  it.each([
    ["256 KiB", 262_144, 400],
    ["256 KiB and a byte", 262_145, 413],
    ["7 MB", 7_000_000, 413],
  ])("a forged event of %s is refused", async (_, bytes, status) => {
    expect(await post("x".repeat(bytes), `t=${now()},v1=${"0".repeat(64)}`)).toMatchObject({ status });
  });

  it("thirty forged events of 250 KiB at once are all refused", async () => {
    const body = "x".repeat(256_000);
    const all = await Promise.all(Array.from({ length: 30 }, () => post(body, `t=${now()},v1=${"0".repeat(64)}`)));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([400]));
  });
});

describe("an import", () => {
  const period = "2026-11-01T00:00:00.000Z";
  it.each(["cus_unknown", "cus_x?expand[]=subscriptions", "cus_../charges", "cus_x/../../customers", "cus_ x", "cus_"])(
    "an import with the customer %s is refused with a pointer, and creates nobody",
    async (stripe_customer_id) => {
      const record = {
        user: { email: "bogus@example.com" },
        tier_id: community.tier.id,
        status: "active",
        created_at: "2020-01-01T00:00:00.000Z",
        current_period_start: period,
        current_period_end: period,
        stripe_customer_id,
      };
      const path = `/odis/v1/communities/${community.id}/members`;
      const answer = await send({ as: admin, method: "POST", path: `${path}/import`, body: { members: [record] } });
      expect(answer).toMatchObject({
        status: 200,
        body: { data: [{ outcome: "refused", errors: [{ pointer: "/members/0/stripe_customer_id" }] }] },
      });
      expect(await send({ as: admin, path: `${path}?query=bogus` })).toMatchObject({ body: { data: [] } });
    },
  );
});
