import { randomBytes } from "node:crypto";

/** Lifetime of a challenge in milliseconds: Cognito's default `AuthSessionValidity`. */
const validity = 3 * 60_000;

export type Pending<T> = {
  /** @returns a token for `find` */
  readonly add: (value: T) => string;
  readonly find: (token: string) => T | undefined;
  readonly remove: (token: string) => void;
};

/** Stores pending values for three minutes each. */
export function openPending<T>(): Pending<T> {
  const values = new Map<string, { readonly value: T; readonly until: number }>();
  return {
    add(value) {
      const now = Date.now();
      for (const [token, { until }] of values) if (until <= now) values.delete(token);
      const token = randomBytes(64).toString("base64");
      values.set(token, { value, until: now + validity });
      return token;
    },
    find(token) {
      const pending = values.get(token);
      return pending && pending.until > Date.now() ? pending.value : undefined;
    },
    remove: (token) => void values.delete(token),
  };
}
