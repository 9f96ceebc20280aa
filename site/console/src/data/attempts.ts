/** A request that must not take effect twice, from the moment it is sent until its outcome is known. */
export type Attempt<B> = {
  readonly key: string;
  readonly body: B;
  /** Time at which it was sent, by the clock of the browser. */
  readonly at: string;
};

const prefix = "odis.console.attempt.";

/**
 * The attempt of a person at an action. It is kept for all tabs, and survives a closed tab. `subject` names the action
 * and what it is about, such as `refund.<charge id>`.
 */
export function attemptsAt<B>(userId: number, subject: string) {
  const name = `${prefix}${userId}.${subject}`;
  /** The attempt whose outcome is unknown, if there is one. */
  const find = (): Attempt<B> | undefined => findAt<B>(name);
  return {
    find,
    keep: (attempt: Attempt<B>): void => localStorage.setItem(name, JSON.stringify(attempt)),
    /** Keeps a later attempt that another tab has stored after it settled this one. */
    forget: ({ key }: Attempt<B>): void => {
      if (find()?.key === key) localStorage.removeItem(name);
    },
  };
}

function findAt<B>(name: string): Attempt<B> | undefined {
  const text = localStorage.getItem(name);
  if (text === null) return undefined;
  const attempt = JSON.parse(text) as Attempt<B>;
  if (canCheck(attempt)) return attempt;
  localStorage.removeItem(name);
  return undefined;
}

/** Removes the attempts of everybody who used this browser that can no longer be checked. */
export function removeExpiredAttempts(): void {
  for (const name of Object.keys(localStorage)) if (name.startsWith(prefix)) findAt(name);
}

/**
 * How long an attempt can be checked, in milliseconds: an hour less than the API recognizes an `Idempotency-Key`
 * (`docs/api.md`, section 1, "Retries").
 */
const lifetime = 23 * 60 * 60 * 1000;

/** Whether the API still recognizes the attempt. */
export const canCheck = ({ at }: Attempt<unknown>): boolean => Date.now() - Date.parse(at) < lifetime;

/**
 * An ETag that no record has. With it, a request that has not begun is refused, one that has begun is completed, and one
 * that is done gets its response again.
 */
export const noVersion = '"none"';
