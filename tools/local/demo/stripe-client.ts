import Stripe from "stripe";
import type { StripeStandIn } from "stripe-stand-in";
import { type Billing, billingOf } from "#lib/billing/stripe.ts";

type Answer = StripeStandIn["answer"];

/** Stripe over the stand-in in this process: without sockets, as a year has thousands of calls. */
export function stripeIn(answer: Answer): Billing {
  const client = new Stripe("sk_test_demo", { httpClient: new InProcess(answer), telemetry: false });
  return billingOf(async () => client)(() => 30_000);
}

class InProcess extends Stripe.HttpClient {
  readonly #answer: Answer;

  constructor(answer: Answer) {
    super();
    this.#answer = answer;
  }

  override getClientName(): string {
    return "demo";
  }

  override async makeRequest(
    _host: string,
    _port: string | number,
    path: string,
    method: string,
    given: object,
    body: string | null,
  ) {
    const headers = Object.fromEntries(
      Object.entries(given as Record<string, string>).map(([name, value]) => [name.toLowerCase(), value]),
    );
    return new Answered(await this.#answer({ method, path, headers, body: body ?? "" }));
  }
}

class Answered extends Stripe.HttpClientResponse {
  readonly #body: string;

  constructor({ status, headers, body }: Awaited<ReturnType<Answer>>) {
    super(status, headers);
    this.#body = body;
  }

  override getRawResponse() {
    return {};
  }

  override toStream(): never {
    throw new Error("Nothing is streamed");
  }

  override async toJSON() {
    return JSON.parse(this.#body) as unknown;
  }
}
