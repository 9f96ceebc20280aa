import type { Endpoint } from "#lib/http/handler.ts";
import type { Journal } from "./journal.ts";
import { type Call, isOk, type Outcome } from "./requests.ts";
import type { InvariantName, Violation } from "./violation.ts";

/** Minimum time for which an idempotency key is kept, in milliseconds. */
const keyLifetime = 86_400_000 - 60_000;

/** A request with its response. */
export type Attempt = { readonly name: string; readonly call: Call; readonly outcome: Outcome };

/** Records responses and checks them: requests with the same key get the same response, and no response is a defect. */
export class Answers {
  readonly violations: Violation[] = [];
  readonly attempts: Attempt[] = [];
  readonly #journal: Journal;
  /** The first successful response to each key. */
  readonly #byKey = new Map<string, { readonly asked: string; readonly outcome: Outcome }>();
  /** The attempts of each request. A request without a key has one attempt. */
  readonly #byRequest = new Map<string, Attempt[]>();
  /** The responses to requests that contain a unique text, by text. */
  readonly #byText = new Map<string, Outcome[]>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Records a violated invariant. */
  violate(invariant: InvariantName, text: string): void {
    this.violations.push({ invariant, text });
    this.#journal.note(`WRONG: ${invariant}: ${text}`, { always: true });
  }

  note(endpoint: Endpoint | "explore", call: Call, outcome: Outcome): void {
    const name = endpoint === "explore" ? endpoint : `${endpoint.route.method} ${endpoint.route.path}`;
    if (outcome.defect !== undefined) this.violate("no 500", `${name} answered 500: ${outcome.defect}`);
    const { key, as, params } = call;
    const request = JSON.stringify([name, key ?? this.attempts.length, as?.id, params]);
    const attempt = { name, call, outcome };
    this.attempts.push(attempt);
    this.#byRequest.set(request, [...(this.#byRequest.get(request) ?? []), attempt]);
    this.#compare(name, call, outcome);
    for (const text of textsOf(call.body)) this.#byText.set(text, [...(this.#byText.get(text) ?? []), outcome]);
  }

  /** The texts of requests whose attempts were all refused and of which none may still be in progress. */
  refusedTexts(): ReadonlySet<string> {
    const isRefusal = ({ status, body }: Outcome) =>
      status >= 400 && status < 500 && body.code !== "request_in_progress";
    return new Set([...this.#byText].filter(([, outcomes]) => outcomes.every(isRefusal)).map(([text]) => text));
  }

  /**
   * Attempts with the response that the subscription had already ended, each with the subscriptions that any attempt of
   * the same request had ended by then. Keys expire after a day.
   */
  deniedEndings(): { readonly name: string; readonly ended: readonly string[] }[] {
    return [...this.#byRequest.values()].flatMap((attempts) =>
      attempts
        .filter(({ outcome }) => outcome.body.code === "subscription_already_canceled")
        .map(({ name, outcome: { from, to } }) => ({
          name,
          ended: attempts.flatMap(({ outcome }) =>
            outcome.from < to && from - outcome.from < keyLifetime ? [...outcome.ended] : [],
          ),
        })),
    );
  }

  #compare(name: string, { key, as, params, body }: Call, outcome: Outcome): void {
    if (key === undefined || !isOk(outcome)) return;
    const id = JSON.stringify([name, key, as?.id, params]);
    const asked = JSON.stringify(body);
    const first = this.#byKey.get(id);
    if (!first || outcome.from - first.outcome.from > keyLifetime) this.#byKey.set(id, { asked, outcome });
    else if (first.outcome.text !== outcome.text || first.outcome.status !== outcome.status)
      this.violate("one answer a key", `${name} answered ${first.outcome.text} and then ${outcome.text} to ${key}`);
  }
}

type Texts = {
  readonly comment?: string;
  readonly note?: string;
  readonly member?: { readonly shipping_address?: { readonly line1: string } };
};

/** The texts in a request body that Stripe or the member's record stores. */
function textsOf(body: unknown): string[] {
  const { comment, note, member } = (body ?? {}) as Texts;
  return [comment, note, member?.shipping_address?.line1].filter((text) => text !== undefined);
}
