import type { Endpoint } from "#lib/http/handler.ts";
import type { Journal } from "./journal.ts";
import { type Call, isOk, type Outcome } from "./requests.ts";
import type { Violation } from "./violation.ts";

/** How long a key is known at least, in milliseconds. */
const keyLifetime = 86_400_000 - 60_000;

type Attempt = { readonly name: string; readonly outcome: Outcome };

/** Compares answers with each other, and with what no answer may be. */
export class Answers {
  readonly violations: Violation[] = [];
  readonly #journal: Journal;
  /** The first good answer to each key. */
  readonly #byKey = new Map<string, { readonly asked: string; readonly outcome: Outcome }>();
  /** How the attempts at each request were answered. A request without a key has one. */
  readonly #attempts = new Map<string, Attempt[]>();
  /** How the requests were answered that had a text, which no other has. */
  readonly #byText = new Map<string, Outcome[]>();
  /** When requests of each caller were let through whose number is limited. */
  readonly #limited = new Map<number, number[]>();

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Notes something that must hold and does not. */
  violate(invariant: string, text: string): void {
    this.violations.push({ invariant, text });
    this.#journal.note(`WRONG: ${invariant}: ${text}`, { always: true });
  }

  note(endpoint: Endpoint | "explore", call: Call, outcome: Outcome): void {
    const name = endpoint === "explore" ? endpoint : `${endpoint.route.method} ${endpoint.route.path}`;
    if (outcome.defect !== undefined) this.violate("no 500", `${name} answered 500: ${outcome.defect}`);
    const { key, as, params } = call;
    if (endpoint !== "explore" && endpoint.route.limited === "deliveries" && isOk(outcome) && as)
      this.#limited.set(as.id, [...(this.#limited.get(as.id) ?? []), outcome.from]);
    const request = JSON.stringify([name, key ?? outcome.from, as?.id, params]);
    this.#attempts.set(request, [...(this.#attempts.get(request) ?? []), { name, outcome }]);
    this.#compare(name, call, outcome);
    for (const text of textsOf(call.body)) this.#byText.set(text, [...(this.#byText.get(text) ?? []), outcome]);
  }

  /** When requests for deliveries were let through, by caller. */
  limitedRequests(): ReadonlyMap<number, readonly number[]> {
    return new Map([...this.#limited].map(([id, times]) => [id, times.toSorted((a, b) => a - b)]));
  }

  /** The texts of requests of which each attempt was refused, and none may still be in progress. */
  refusedTexts(): ReadonlySet<string> {
    const isRefusal = ({ status, body }: Outcome) =>
      status >= 400 && status < 500 && body.code !== "request_in_progress";
    return new Set([...this.#byText].filter(([, outcomes]) => outcomes.every(isRefusal)).map(([text]) => text));
  }

  /**
   * The attempts that were answered that the subscription had already ended, each with the subscriptions that this or another
   * attempt at the same request has ended by then. A key is forgotten after a day.
   */
  deniedEndings(): { readonly name: string; readonly ended: readonly string[] }[] {
    return [...this.#attempts.values()].flatMap((attempts) =>
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

/** The texts of a request's body that Stripe or the member's record keeps. */
function textsOf(body: unknown): string[] {
  const { comment, note, member } = (body ?? {}) as Texts;
  return [comment, note, member?.shipping_address?.line1].filter((text) => text !== undefined);
}
