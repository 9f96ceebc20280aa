import type { Endpoint } from "#lib/http/handler.ts";
import { type Call, isOk, type Outcome } from "./requests.ts";
import type { Violation } from "./violation.ts";

const day = 86_400_000;

/** Compares answers with each other, and with what no answer may be. */
export class Answers {
  readonly violations: Violation[] = [];
  /** The first good answer to each key. */
  readonly #byKey = new Map<string, { readonly asked: string; readonly outcome: Outcome }>();

  note(endpoint: Endpoint | "explore", call: Call, outcome: Outcome): void {
    const name = endpoint === "explore" ? endpoint : `${endpoint.route.method} ${endpoint.route.path}`;
    if (outcome.body.code === "internal")
      this.violations.push({ invariant: "no 500", text: `${name} answered 500 to ${JSON.stringify(call.body ?? null)}` });
    this.#compare(name, call, outcome);
  }

  #compare(name: string, { key, as, params, body }: Call, outcome: Outcome): void {
    if (key === undefined || !isOk(outcome)) return;
    const id = JSON.stringify([name, key, as?.id, params]);
    const asked = JSON.stringify(body);
    const first = this.#byKey.get(id);
    if (!first || outcome.from - first.outcome.from > day - 60_000) this.#byKey.set(id, { asked, outcome });
    else if (first.outcome.text !== outcome.text || first.outcome.status !== outcome.status)
      this.violations.push({
        invariant: "one answer a key",
        text: `${name} answered ${first.outcome.text} and then ${outcome.text} to the key ${key}`,
      });
  }
}
