import Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { errorTypes, rules } from "#lib/billing/refusals.ts";
import { billingOf, insteadOf, problemOf } from "#lib/billing/stripe.ts";
import type { Problem } from "#lib/problem.ts";

/** What a call to Stripe that fails with this error is turned into. */
async function failureOf(error: unknown): Promise<Problem> {
  const billing = billingOf(async () => ({}) as Stripe)(() => 20_000);
  try {
    return await billing(() => {
      throw error;
    });
  } catch (problem) {
    return problem as Problem;
  }
}

const raw = (statusCode: number, type: string, more: object = {}) =>
  Stripe.errors.generateV1Error({ statusCode, type, message: "No", ...more } as never);

describe("errors of Stripe", () => {
  it.each([
    [400, "invalid_request_error", 409, "payment_processor_refused"],
    [404, "invalid_request_error", 409, "payment_processor_refused"],
    [402, "card_error", 409, "payment_processor_refused"],
    [400, "idempotency_error", 409, "payment_processor_refused"],
    [409, "invalid_request_error", 409, "request_in_progress"],
    [401, "invalid_request_error", 502, "payment_processor_error"],
    [403, "invalid_request_error", 502, "payment_processor_error"],
    [424, "api_error", 502, "payment_processor_error"],
    [500, "api_error", 502, "payment_processor_error"],
    [429, "invalid_request_error", 503, "payment_processor_unavailable"],
  ])("Stripe's %i %s is %i %s", async (statusCode, type, status, code) => {
    expect(await failureOf(raw(statusCode, type))).toMatchObject({ status, code });
  });

  it("every type of error in the table is one that Stripe's client throws", () => {
    expect(Object.keys(Stripe.errors)).toEqual(expect.arrayContaining(Object.keys(errorTypes)));
  });
});

describe("refusals with an exact meaning", () => {
  it.each(rules.map((rule) => [rule.asked, JSON.stringify(rule.says), rule] as const))(
    "a refusal of %s that says %s has the outcome of its rule",
    async (asked, _, rule) => {
      const { message, ...says } = rule.says;
      const text = message?.source.replaceAll("\\", "") ?? "No";
      const refusal = await failureOf(raw(400, "invalid_request_error", { ...says, message: text }));
      if ("problem" in rule) expect(problemOf(asked, refusal)?.code).toBe(rule.problem);
      else expect(insteadOf(asked, refusal)).toBe(rule.instead);
    },
  );

  it("a refusal without a rule keeps Stripe's code, or null where there is none", async () => {
    const coded = await failureOf(raw(400, "invalid_request_error", { code: "balance_insufficient" }));
    expect([problemOf("refund", coded), coded.more.processor_code]).toEqual([undefined, "balance_insufficient"]);
    expect((await failureOf(raw(400, "invalid_request_error"))).more.processor_code).toBeNull();
  });
});
