import { expect, it, onTestFinished, vi } from "vitest";
import { billingOf } from "#lib/billing/stripe.ts";
import { atStripe } from "./dashboard.ts";
import { stripeClient, useStandIn } from "./stripe-client.ts";
import { useVirtualTimers } from "./timers.ts";
import { newFigures, World } from "./world.ts";

// Triggers read their environment variables when they are imported.
vi.hoisted(() => vi.stubEnv("TABLE_NAME", "odis").stubEnv("EVENT_BUS_NAME", "odis"));

/** Lists customers while Stripe fails at first. Returns the calls that were made, and the result. */
async function listWithFailure(lifetime: number) {
  onTestFinished(useVirtualTimers());
  const world = new World("retries", newFigures());
  await atStripe(world, "faults", { fail_next: 1 });
  const calledAt: number[] = [];
  const { answer } = world.stripe;
  useStandIn({
    ...world.stripe,
    answer: (request) => {
      calledAt.push(world.timeline.now);
      return answer(request);
    },
  });
  const outcome = world.invoke("test", { lifetime }, (_, { context }) => {
    const billing = billingOf(async () => stripeClient)(() => context.getRemainingTimeInMillis());
    return billing((stripe, options) => stripe.customers.list({}, options)).then(
      () => "done",
      ({ code }: { readonly code: string }) => code,
    );
  });
  return { outcome: await world.timeline.until(outcome), calledAt };
}

it("Stripe's SDK retries a call after at least half a second of virtual time if the function has time for two calls", async () => {
  const { outcome, calledAt } = await listWithFailure(25_000);
  expect(outcome).toBe("done");
  expect(calledAt).toHaveLength(2);
  expect((calledAt[1] ?? 0) - (calledAt[0] ?? 0)).toBeGreaterThanOrEqual(500);
});

it("Stripe's SDK does not retry a call if the function has no time for two calls", async () => {
  const { outcome, calledAt } = await listWithFailure(10_000);
  expect(outcome).toBe("payment_processor_error");
  expect(calledAt).toHaveLength(1);
});
