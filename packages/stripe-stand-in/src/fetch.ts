import type { StripeStandIn } from "./core/stripe.ts";

/**
 * A `fetch` that calls a stand-in in this process instead of the network:
 * `new Stripe("sk_test_local", { httpClient: Stripe.createFetchHttpClient(fetchFrom(standIn.answer)) })`.
 */
export const fetchFrom =
  (answer: StripeStandIn["answer"]): typeof fetch =>
  async (input, init) => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    const response = await answer({
      method: request.method,
      path: pathname + search,
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
    });
    return new Response(response.body, response);
  };
