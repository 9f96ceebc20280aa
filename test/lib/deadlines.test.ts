import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { DomainEvent } from "#lib/contract/events.ts";
import { connectBus } from "#lib/events/bus.ts";
import { readStripeSecret } from "#lib/secrets.ts";
import { addressOf } from "#lib/verified-address.ts";

/** Accepts connections and requests, but never responds. */
let silent: Server;
beforeAll(async () => {
  silent = createServer(() => undefined).listen(0, "127.0.0.1");
  await new Promise((resolve) => void silent.once("listening", resolve));
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  vi.stubEnv("AWS_ENDPOINT_URL_SECRETS_MANAGER", url);
  vi.stubEnv("AWS_ENDPOINT_URL_EVENTBRIDGE", url);
  vi.stubEnv("AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER", url);
  vi.stubEnv("USER_POOL_ID", "eu-central-1_Silent");
  vi.stubEnv("STRIPE_SECRET", undefined);
  vi.stubEnv("STRIPE_SECRET_ARN", "arn:aws:secretsmanager:eu-central-1:000000000000:secret:Stripe");
});
afterAll(() => {
  vi.unstubAllEnvs();
  silent.closeAllConnections();
  silent.close();
});

describe("a service that accepts a request and never answers", () => {
  it("a hanging Secrets Manager makes the request unavailable at its deadline", async () => {
    await expect(readStripeSecret(AbortSignal.timeout(200))).rejects.toMatchObject({
      code: "unavailable",
      headers: { "retry-after": "1" },
    });
  });

  it("a hanging Secrets Manager times out even without a deadline", async () => {
    await expect(readStripeSecret()).rejects.toMatchObject({ code: "unavailable" });
  });

  it("a hanging user pool times out", async () => {
    await expect(addressOf({ sub: "ana" })).rejects.toMatchObject({ code: "unavailable" });
  });

  it("a hanging EventBridge fails at the deadline of the batch", async () => {
    const publish = connectBus(undefined, "odis-test");
    const events = [
      { id: "1", type: "member.joined", timestamp: "2026-11-21T12:00:00.000Z" } as unknown as DomainEvent,
    ];
    await expect(publish(events, AbortSignal.timeout(200))).rejects.toThrow(/abort|timeout/i);
  });
});
