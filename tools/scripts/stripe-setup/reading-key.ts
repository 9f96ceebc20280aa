import { missingPermissions, permissions } from "#lib/billing/permissions.ts";
import { clientOf } from "#lib/billing/stripe.ts";
import { writeReadingKey } from "#lib/secrets.ts";

const writePermissions = permissions.write.filter((permission) => permission.endsWith(":write"));

/** Returns the problems of a key for the routes that only read, one phrase each. It must not be able to write. */
export async function readingKeyProblems(secret_key: string, apiBase: string | undefined): Promise<string[]> {
  const stripe = clientOf({ secret_key }, apiBase);
  const missing = await missingPermissions(stripe, permissions.read);
  const denied: readonly string[] = await missingPermissions(stripe, writePermissions);
  return [
    ...missing.map((permission) => `it lacks ${permission}`),
    ...writePermissions
      .filter((permission) => !denied.includes(permission))
      .map((permission) => `it has ${permission}`),
  ];
}

type ReadingKeyRegistration = {
  /** The key to store. Undefined keeps the stored key. */
  readonly key: string | undefined;
  readonly storedKey: string | undefined;
  readonly secretArn: string;
  readonly apiBase: string | undefined;
};

/**
 * Stores the key of the routes that only read and prints the result.
 *
 * @returns false if the key was not stored because its permissions are wrong
 */
export async function registerReadingKey({
  key,
  storedKey,
  secretArn,
  apiBase,
}: ReadingKeyRegistration): Promise<boolean> {
  if (key === undefined) {
    if (storedKey === undefined)
      console.log("payment_history and subscription_details return 503 until STRIPE_READING_KEY=rk_… is set");
    return true;
  }
  const keyProblems = await readingKeyProblems(key, apiBase);
  if (keyProblems.length > 0) {
    console.log(`STRIPE_READING_KEY is not stored: ${keyProblems.join(", ")}`);
    return false;
  }
  if (key !== storedKey) await writeReadingKey(secretArn, key);
  return true;
}
