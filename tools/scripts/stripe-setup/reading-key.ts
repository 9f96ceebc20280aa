import { missingPermissions, permissions } from "#lib/billing/permissions.ts";
import { clientOf } from "#lib/billing/stripe.ts";
import { writeReadingKey } from "#lib/secrets.ts";

const writing = permissions.write.filter((one) => one.endsWith(":write"));

/** What is wrong with the key of the routes that only read, as sentences. */
export async function wrongOfReadingKey(secret_key: string, apiBase: string | undefined): Promise<string[]> {
  const stripe = clientOf({ secret_key }, apiBase);
  const missing = await missingPermissions(stripe, permissions.read);
  const denied: readonly string[] = await missingPermissions(stripe, writing);
  return [
    ...missing.map((permission) => `it lacks ${permission}`),
    ...writing.filter((one) => !denied.includes(one)).map((permission) => `it has ${permission}`),
  ];
}

type ReadingKey = {
  readonly given: string | undefined;
  readonly stored: string | undefined;
  readonly secretArn: string;
  readonly apiBase: string | undefined;
};

/** Stores the key of the routes that only read, if one is given, and says what was done. @returns whether that is right */
export async function registerReadingKey({ given, stored, secretArn, apiBase }: ReadingKey): Promise<boolean> {
  if (given === undefined) {
    if (stored === undefined)
      console.log("payment_history and subscription_details return 503 until STRIPE_READING_KEY=rk_… is set");
    return true;
  }
  const wrong = await wrongOfReadingKey(given, apiBase);
  if (wrong.length > 0) {
    console.log(`STRIPE_READING_KEY is not stored: ${wrong.join(", ")}`);
    return false;
  }
  if (given !== stored) await writeReadingKey(secretArn, given);
  return true;
}
