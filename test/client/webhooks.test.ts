import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { verifyWebhook, WebhookVerificationError } from "../../client/webhooks.ts";

/** The test vector of the reference libraries of Standard Webhooks. */
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const body = '{"test": 2432232314}';
const id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
const at = 1_614_265_330;
const signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

const headers = { "webhook-id": id, "webhook-timestamp": String(at), "webhook-signature": signature };
const after = (seconds: number) => new Date((at + seconds) * 1000);

const verify = (over: Partial<typeof headers> = {}, now = after(0)) =>
  verifyWebhook(body, { ...headers, ...over }, secret, now);

describe("a webhook is verified", () => {
  it("the test vector of the reference libraries is verified", async () => {
    expect(await verify()).toEqual({ test: 2432232314 });
  });

  it("a webhook is verified with the headers of fetch and the bytes of the body", async () => {
    const bytes = new TextEncoder().encode(body);
    expect(await verifyWebhook(bytes, new Headers(headers), secret, after(0))).toEqual({ test: 2432232314 });
  });

  it("a webhook that the standardwebhooks package has signed is verified", async () => {
    const signed = new Webhook(secret).sign(id, after(0), body);
    expect(await verify({ "webhook-signature": signed })).toEqual({ test: 2432232314 });
  });

  it("a webhook is verified with a secret without its prefix", async () => {
    expect(await verifyWebhook(body, headers, secret.replace("whsec_", ""), after(0))).toEqual({ test: 2432232314 });
  });

  it.each([
    ["after another signature", `v1,AAAA ${signature}`],
    ["before another signature", `${signature} v1,AAAA`],
    ["among signatures of other versions", `v1a,AAAA ${signature} v2,AAAA`],
    ["after a signature that is no base64", `v1,*** ${signature}`],
  ])("a webhook is verified if its signature is %s", async (_, signatures) => {
    expect(await verify({ "webhook-signature": signatures })).toEqual({ test: 2432232314 });
  });

  it.each([
    ["5 minutes late", 300],
    ["5 minutes early", -300],
  ])("a webhook that is %s is verified", async (_, seconds) => {
    expect(await verify({}, after(seconds))).toEqual({ test: 2432232314 });
  });

  it("a webhook with non-ASCII text is verified", async () => {
    const text = '{"name":"Peña 🥃"}';
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    const signed = createHmac("sha256", key).update(`${id}.${at}.${text}`).digest("base64");
    const given = { ...headers, "webhook-signature": `v1,${signed}` };
    expect(await verifyWebhook(text, given, secret, after(0))).toEqual({ name: "Peña 🥃" });
  });
});

it.each([
  ["with another body", () => verifyWebhook(`${body} `, headers, secret, after(0))],
  ["with another id", () => verify({ "webhook-id": "msg_other" })],
  ["with another time", () => verify({ "webhook-timestamp": String(at + 1) })],
  ["with another secret", () => verifyWebhook(body, headers, "whsec_AAAA", after(0))],
  ["without a secret", () => verifyWebhook(body, headers, "whsec_", after(0))],
  ["with a secret that is no base64", () => verifyWebhook(body, headers, "whsec_***", after(0))],
  ["more than 5 minutes late", () => verify({}, after(301))],
  ["more than 5 minutes early", () => verify({}, after(-301))],
  ["with a time that is no number", () => verify({ "webhook-timestamp": "now" })],
  ["with an empty time", () => verify({ "webhook-timestamp": "" })],
  ["without a signature", () => verifyWebhook(body, { ...headers, "webhook-signature": undefined }, secret, after(0))],
  ["with a signature of another version", () => verify({ "webhook-signature": signature.replace("v1,", "v1a,") })],
  ["with a shortened signature", () => verify({ "webhook-signature": signature.slice(0, -5) })],
])("a webhook is refused %s", async (_, act) => {
  await expect(act()).rejects.toThrow(WebhookVerificationError);
});
