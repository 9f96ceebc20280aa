import Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { errorTypes, refusalRules } from "#lib/billing/refusals.ts";
import { billingOf, isUnknownCustomer, problemOf, recoveryFrom } from "#lib/billing/stripe.ts";
import type { Problem } from "#lib/problem.ts";

/** Returns the problem for a call to Stripe that fails with this error. */
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
  ])("an error of Stripe with status %i and type %s returns %i %s", async (statusCode, type, status, code) => {
    expect(await failureOf(raw(statusCode, type))).toMatchObject({ status, code });
  });

  it.each([
    "No such customer: 'cus_1'; a similar object exists in live mode, but a test mode key was used to make this request.",
    "No such customer: 'cus_1'; a similar object exists in test mode, but a live mode key was used to make this request.",
  ])("an object of the other mode is not taken for a missing one: %s", async (message) => {
    const error = await failureOf(
      raw(404, "invalid_request_error", { code: "resource_missing", param: "id", message }),
    );
    expect(error).toMatchObject({ status: 502, code: "payment_processor_error" });
    expect(isUnknownCustomer(error, "cus_1")).toBe(false);
  });

  it("the table of problems covers every error type of Stripe's client", () => {
    expect(Object.keys(Stripe.errors)).toEqual(expect.arrayContaining(Object.keys(errorTypes)));
  });
});

describe("refusals with a rule", () => {
  it.each(refusalRules.map((rule) => [rule.request, JSON.stringify(rule.when), rule] as const))(
    "a refusal of a %s request that matches %s has the outcome of its rule",
    async (request, _, rule) => {
      const { message, ...when } = rule.when;
      const text = message?.source.replaceAll("\\", "") ?? "No";
      const refusal = await failureOf(raw(400, "invalid_request_error", { ...when, message: text }));
      if ("problem" in rule) expect(problemOf(request, refusal)?.code).toBe(rule.problem);
      else expect(recoveryFrom(request, refusal)).toBe(rule.recovery);
    },
  );

  it("a refusal without a rule has Stripe's code as processor_code, or null if there is none", async () => {
    const coded = await failureOf(raw(400, "invalid_request_error", { code: "balance_insufficient" }));
    expect([problemOf("refund", coded), coded.more.processor_code]).toEqual([undefined, "balance_insufficient"]);
    expect((await failureOf(raw(400, "invalid_request_error"))).more.processor_code).toBeNull();
  });
});
