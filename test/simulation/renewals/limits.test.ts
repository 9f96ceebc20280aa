import { expect, it, vi } from "vitest";
import { environment } from "../workers.ts";
import { renewalDay } from "./day.ts";
import { rateLimits, secretOf } from "./stripe.ts";

it.each([
  ["live mode", true, rateLimits.live, 300],
  ["a sandbox", false, rateLimits.sandbox, 150],
])("renewals within a minute stay below both of Stripe's rate limits in %s", async (_, livemode, limits, together) => {
  const variables = { ...environment, STRIPE_SECRET: secretOf({ livemode }), THROTTLE: "on" };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  const day = await renewalDay({ renewals: together, together, livemode, limits, checkoutEvery: 600_000 });
  const { refused, peak, peaks } = day.stripe;
  expect({ refused, wrong: day.wrong }).toEqual({ refused: 0, wrong: 0 });
  expect(day.checkouts.filter(({ status }) => status >= 300)).toEqual([]);
  // Renewals leave a share of each endpoint's limit to people.
  for (const [endpoint, { most }] of peaks) expect([endpoint, most <= 20]).toEqual([endpoint, true]);
  expect(peak.most).toBeLessThanOrEqual(0.8 * limits.total);
});
