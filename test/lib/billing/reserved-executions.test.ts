import { afterEach, expect, it, vi } from "vitest";
import { awaitEventPlace } from "#lib/billing/pace.ts";
import { findMistakes, settingsFor } from "../../../infra/settings.ts";
import { exampleOfProd } from "../../../tools/build/variants.ts";
import { startMoney } from "../../support/money.ts";

const money = startMoney();
afterEach(() => vi.unstubAllEnvs());

it("the executions reserved for the webhook include those that wait for their turn at Stripe, in the example and at least", async () => {
  vi.stubEnv("THROTTLE", "on");
  const now = new Date();
  const runtime = { ...money.table.runtime, now: () => now, wait: async () => {} };
  const table = { ...money.table, runtime };
  const events = await Promise.allSettled(Array.from({ length: 200 }, () => awaitEventPlace(table, true)));
  const waiting = events.filter(({ status }) => status === "fulfilled").length;
  const { webhook = 0 } = settingsFor("prod", exampleOfProd()).reservedConcurrency;
  expect(webhook).toBeGreaterThanOrEqual(waiting);
  expect(findMistakes("sandbox", { reservedConcurrency: { webhook: waiting } })).toHaveLength(1);
});
