import Stripe from "stripe";
import { currentInvocation } from "../world/invocation.ts";
import { responseOf } from "../world/stripe-client.ts";
import { hour, type Renewal, shownBy } from "./objects.ts";

const { HttpClient } = Stripe;

/** An event that Odis has not accepted yet. */
export type StripeEvent = {
  readonly id: string;
  readonly object: "event";
  readonly type: "customer.subscription.updated" | "invoice.paid";
  readonly created: number;
  readonly livemode: boolean;
  readonly data: { readonly object: { readonly id: string; readonly object: string; readonly customer: string } };
};

/** Maximum number of requests per second (https://docs.stripe.com/rate-limits). */
export type RateLimits = {
  readonly total: number;
  /** Limit of one endpoint, which is a method and a path, whatever the id in the path. */
  readonly endpoint: number;
};

export const rateLimits = {
  live: { total: 100, endpoint: 25 },
  sandbox: { total: 25, endpoint: 25 },
} as const satisfies Record<string, RateLimits>;

/** A value of `STRIPE_SECRET`. */
export const secretOf = ({ livemode }: { readonly livemode: boolean }): string =>
  JSON.stringify({
    secret_key: `sk_${livemode ? "live" : "test"}_renewals`,
    webhook_secret: "whsec_simulation",
  });

/** The maximum number of requests within any 1,000 milliseconds. */
class Peak {
  /** Times of the requests in the last second. */
  #recent: number[] = [];
  most = 0;

  count(now: number): number {
    this.#recent = this.#recent.filter((at) => at > now - 1000);
    this.#recent.push(now);
    this.most = Math.max(this.most, this.#recent.length);
    return this.#recent.length;
  }
}

/**
 * A stand-in for Stripe that supports only the requests of renewals and checkouts, and is faster than the full
 * stand-in. Returns 429 for requests over the rate limit.
 */
export class LimitedStripe {
  readonly renewals = new Map<string, Renewal>();
  /** Events that were delivered without success, oldest first. */
  readonly undelivered = new Map<string, StripeEvent>();
  /** Numbers of received requests by second since 1970. */
  readonly requests = new Map<number, number>();
  readonly peak = new Peak();
  /** The peak of each endpoint, by method and path. */
  readonly peaks = new Map<string, Peak>();
  refused = 0;
  readonly #now: () => number;
  readonly #limits: RateLimits;
  #ids = 0;

  constructor(now: () => number, limits: RateLimits) {
    this.#now = now;
    this.#limits = limits;
  }

  answer(method: string, path: string): { readonly status: number; readonly body: object } {
    const now = this.#now();
    const url = new URL(path, "http://stripe");
    const endpoint = `${method} ${url.pathname.replace(/\/[a-z]+_\w+/, "/:id")}`;
    const peak = this.peaks.get(endpoint) ?? new Peak();
    this.peaks.set(endpoint, peak);
    const second = Math.floor(now / 1000);
    this.requests.set(second, (this.requests.get(second) ?? 0) + 1);
    const isAboveTotal = this.peak.count(now) > this.#limits.total;
    if (peak.count(now) > this.#limits.endpoint || isAboveTotal) {
      this.refused++;
      const error = { type: "invalid_request_error", code: "rate_limit", message: "Too many requests" };
      return { status: 429, body: { error } };
    }
    return { status: 200, body: method === "POST" ? this.#create(url) : this.#list(url) };
  }

  #create({ pathname }: URL): object {
    const id = ++this.#ids;
    if (pathname === "/v1/customers") return { id: `cus_new${id}`, object: "customer" };
    if (pathname === "/v1/checkout/sessions")
      return { id: `cs_test_${id}`, object: "checkout.session", url: "http://stripe/pay", expires_at: 2_000_000_000 };
    throw new Error(`Nothing is created at ${pathname}`);
  }

  #list({ pathname, searchParams }: URL): object {
    if (pathname === "/v1/checkout/sessions") return list([]);
    if (pathname === "/v1/events") return this.#events(Number(searchParams.get("created[gte]")), searchParams);
    const renewal = this.renewals.get(searchParams.get("customer") ?? "");
    if (!renewal) throw new Error(`Nothing is listed at ${pathname}`);
    const now = this.#now() / 1000;
    if (now >= renewal.renewsAt + hour) renewal.paymentReadAt ??= now;
    return list(shownBy(renewal, pathname, now));
  }

  #events(since: number, query: URLSearchParams): object {
    const after = query.get("starting_after");
    // An accepted event is no longer in the list, so its position is found by its id, which begins with its time.
    const rest = [...this.undelivered.values()]
      .filter(({ id, created }) => created >= since && (after === null || id < after))
      .toSorted((a, b) => (a.id < b.id ? 1 : -1));
    const limit = Number(query.get("limit"));
    return list(rest.slice(0, limit), rest.length > limit);
  }
}

const list = (data: readonly object[], has_more = false) => ({ object: "list", url: "", data, has_more });

/** Creates Stripe's client. It runs in an invocation of the simulation. */
export function clientOf(stripe: LimitedStripe): Stripe {
  class LimitedHttpClient extends HttpClient {
    override getClientName(): string {
      return "renewals";
    }

    override async makeRequest(_host: string, _port: string | number, path: string, method: string) {
      const effect = () => stripe.answer(method, path);
      const failure = () => HttpClient.makeTimeoutError();
      const { status, body } = (await currentInvocation()?.call({ target: "stripe", effect, failure })) ?? effect();
      return responseOf(status, {}, () => body);
    }
  }
  return new Stripe("sk_test_renewals", {
    httpClient: new LimitedHttpClient(),
    maxNetworkRetries: 0,
    telemetry: false,
  });
}
