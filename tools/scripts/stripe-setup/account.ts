import type Stripe from "stripe";
import { clientOf } from "#lib/billing/stripe.ts";
import type { StripeSecret } from "#lib/secrets.ts";

type NamedKey = {
  readonly name: string;
  readonly secret_key: string;
  /** The id of its account. Undefined if it must be read. */
  readonly account?: string | undefined;
};

type StripeKeys = {
  readonly key: string;
  readonly functionsKey?: string | undefined;
  /** The key of the routes that only read: the one to store, or the stored one. */
  readonly readingKey?: string | undefined;
};

/** The keys of a stack, which must be of one account. The stored key is the first one, if there is one. */
export const keysOf = (
  stored: StripeSecret | undefined,
  { key, functionsKey, readingKey }: StripeKeys,
): readonly NamedKey[] => [
  ...(stored ? [{ name: "the stored key", ...stored }] : []),
  { name: "STRIPE_SECRET_KEY", secret_key: key },
  ...(functionsKey ? [{ name: "STRIPE_FUNCTIONS_KEY", secret_key: functionsKey }] : []),
  ...(readingKey ? [{ name: "The read-only key", secret_key: readingKey }] : []),
];

const modeOf = ({ secret_key }: NamedKey) => (secret_key.includes("_live_") ? "live" : "test");

/**
 * Reads the id of the account of a key. A restricted key may not read it, but Stripe names the account in the refusal.
 *
 * @returns undefined if Stripe does not name it, as for a key that was revoked
 */
export const accountOf = (stripe: Stripe): Promise<string | undefined> =>
  stripe.accounts.retrieveCurrent().then(
    ({ id }) => id,
    (error: Partial<Stripe.errors.StripeError>) => {
      if (error.type === "StripePermissionError") return /\bacct_\w+/.exec(error.message ?? "")?.[0];
      if (error.type !== "StripeAuthenticationError") throw error;
      return undefined;
    },
  );

/** Returns a sentence for each key of another mode or account than the first one. */
export async function accountProblems(keys: readonly NamedKey[], apiBase: string | undefined): Promise<string[]> {
  const [first] = keys;
  const otherMode = keys.filter((key) => first && modeOf(key) !== modeOf(first));
  if (first && otherMode.length > 0)
    return otherMode.map(
      (key) => `${key.name} is of the ${modeOf(key)} mode, but ${first.name} is of the ${modeOf(first)} mode`,
    );
  let known: { readonly name: string; readonly account: string } | undefined;
  const problems: string[] = [];
  for (const key of keys) {
    const account = key.account ?? (await accountOf(clientOf(key, apiBase)));
    if (account === undefined) continue;
    known ??= { name: key.name, account };
    if (account !== known.account)
      problems.push(`${key.name} belongs to ${account}, but ${known.name} belongs to ${known.account}`);
  }
  return problems;
}

/**
 * Whether Stripe accepts a key, whatever its permissions.
 *
 * @throws Error if Stripe cannot be asked
 */
export const isAcceptedByStripe = (secret_key: string, apiBase?: string): Promise<boolean> =>
  clientOf({ secret_key }, apiBase)
    .charges.list({ limit: 1 })
    .then(
      () => true,
      (error: Partial<Stripe.errors.StripeError>) => {
        if (error.type === "StripeAuthenticationError") return false;
        if (error.type === "StripePermissionError") return true;
        throw error;
      },
    );

/**
 * Returns the stored key if it is restricted. A run that names no key for the functions keeps it, so that it does not give them
 * the full key.
 *
 * @throws Error if Stripe refuses it
 */
export async function restrictedKeyOf(
  stored: StripeSecret | undefined,
  apiBase: string | undefined,
): Promise<string | undefined> {
  if (!stored?.secret_key.startsWith("rk_")) return undefined;
  if (await isAcceptedByStripe(stored.secret_key, apiBase)) return stored.secret_key;
  throw new Error(
    "Stripe refuses the restricted key that functions use: it was revoked or has expired. Set STRIPE_FUNCTIONS_KEY=rk_… to another one. Nothing was changed",
  );
}
