import { errorTypes, otherMode, refusalRules, type StripeRequest } from "#lib/billing/refusals.ts";
import { type ProblemCode, problems } from "#lib/problem.ts";

const errors: Readonly<Record<keyof typeof errorTypes, string>> = {
  StripeInvalidRequestError: "invalid request (400, 404)",
  StripeCardError: "card error (402)",
  StripeIdempotencyError: "idempotency error (400): the key was used with other parameters",
  StripeAuthenticationError: "authentication error (401)",
  StripePermissionError: "permission error (403)",
  StripeAPIError: "server error (5xx), or a response that is not JSON",
  StripeRateLimitError: "rate limit (429)",
  StripeConnectionError: "no response",
};

const requests: Readonly<Record<StripeRequest, string>> = {
  refund: "refund",
  cancellation: "cancel or uncancel",
  change: "change of a subscription",
  details: "subscription details",
  portal: "billing portal session",
  checkout: "checkout session",
  customer: "name and email address of a customer",
  expiry: "expiry of an open checkout session",
  release: "release of a subscription from its schedule",
  address: "shipping address",
};

const recoveries = {
  new_customer: "A new customer is created",
  new_configuration:
    "The configuration of the portal is created or corrected. If Stripe refuses the new configuration too, 502 `payment_processor_error`",
  without_email:
    "Only the name is sent to Stripe, and a former address is removed there. Its checkout page asks for an email address",
  checkout: "A checkout session is opened for the tier. The subscription that it starts replaces the free one",
  ignore: "Ignored, because there is nothing left to do",
} as const;

const keptOf = (request: StripeRequest): string =>
  request === "refund"
    ? "the charge and amount. Other refunds of the charge are possible"
    : request === "cancellation"
      ? "the mode. If the subscription has ended, the record is synchronized"
      : request === "change"
        ? "the tier, interval and charge"
        : "nothing";

const codeOf = (problem: ProblemCode): string =>
  `${problems.find(({ code }) => code === problem)?.status} \`${problem}\``;

const retries = {
  refused: "calls Stripe again. Refunds and cancellations use the stored choice and count as a new attempt",
  failed: "resumes the same attempt, with the same Stripe idempotency key",
} as const;

/** The responses to Stripe's errors: first by type, then for the errors with a more specific response. */
export function refusalTables(): string {
  const types = Object.entries(errorTypes).map(([type, problem]) => {
    const isRefusal = problem === "payment_processor_refused";
    const kept = isRefusal ? "the choice of a refund or cancellation" : "the operation, which stays open";
    return `| ${errors[type as keyof typeof errorTypes]} | ${codeOf(problem)} | ${kept} | ${isRefusal ? retries.refused : retries.failed} |`;
  });
  const inProgress = `| another request with the same key is running (409) | ${codeOf("request_in_progress")} | the operation, which stays open | ${retries.failed} |`;
  const ofOtherMode = `| an object of the other mode than the key ("${otherMode.source}") | ${codeOf("payment_processor_error")} | the operation, which stays open | ${retries.failed} |`;
  const timeout = `| no response before the request's deadline | ${codeOf("timeout")} | the operation, which stays open | ${retries.failed} |`;
  const specific = refusalRules.map((rule) => {
    const { code, param, message } = rule.when;
    const conditions = [
      ...(code === undefined ? [] : [`\`${code}\``]),
      ...(param === undefined ? [] : [`parameter \`${param}\``]),
      ...(message === undefined ? [] : [`"${message.source.replaceAll("`", "")}"`]),
    ];
    const response = "problem" in rule ? codeOf(rule.problem) : recoveries[rule.recovery];
    return `| ${requests[rule.request]} | ${conditions.join(", ")} | ${response} | ${"problem" in rule ? keptOf(rule.request) : "nothing"} |`;
  });
  return [
    "| Stripe error | response | kept | the same request with the same key |",
    "|---|---|---|---|",
    ...types,
    ofOtherMode,
    inProgress,
    timeout,
    "",
    "Some Stripe errors have a more specific response. `test/lib/billing/refusal-table.test.ts` tries each row:",
    "",
    "| request | Stripe error | response | kept |",
    "|---|---|---|---|",
    ...specific,
  ].join("\n");
}
