import { GetSecretValueCommand, PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import * as v from "valibot";
import { secretsManagerClient } from "./aws.ts";
import { env } from "./env.ts";
import { Problem } from "./problem.ts";

const StripeSecret = v.object({
  secret_key: v.pipe(v.string(), v.regex(/^[sr]k_(test|live)_\w+$/)),
  webhook_secret: v.pipe(v.string(), v.startsWith("whsec_")),
});
export type StripeSecret = v.InferOutput<typeof StripeSecret>;

/**
 * The secrets that Stripe knows us by: `STRIPE_SECRET` itself, or the one in Secrets Manager at `STRIPE_SECRET_ARN`.
 * `signal` ends the call at the request's deadline.
 *
 * @throws Problem `unavailable` where Secrets Manager fails or does not answer
 */
export function readStripeSecret(signal?: AbortSignal): Promise<StripeSecret> {
  stripeSecret ??= read(signal);
  // What could not be read is tried again at the next request.
  stripeSecret.catch(() => {
    stripeSecret = undefined;
  });
  return stripeSecret;
}

let stripeSecret: Promise<StripeSecret> | undefined;

async function read(signal: AbortSignal | undefined): Promise<StripeSecret> {
  const text = env("STRIPE_SECRET") ?? (await fetchSecret(env("STRIPE_SECRET_ARN"), signal));
  const secret = v.safeParse(StripeSecret, JSON.parse(text));
  if (!secret.success) throw new Error('The Stripe secret must be {"secret_key":"sk_…","webhook_secret":"whsec_…"}');
  return secret.output;
}

/** How long to wait for Secrets Manager, in milliseconds, each of two times. */
const requestHandler = { connectionTimeout: 500, requestTimeout: 2000, throwOnRequestTimeout: true };

async function fetchSecret(SecretId: string, signal: AbortSignal | undefined): Promise<string> {
  const client = secretsManagerClient({ maxAttempts: 2, requestHandler });
  const { SecretString } = await client
    .send(new GetSecretValueCommand({ SecretId }), signal && { abortSignal: signal })
    .catch((cause: unknown) => {
      throw new Problem("unavailable", { headers: { "retry-after": "1" }, cause });
    });
  if (SecretString === undefined) throw new Error("The Stripe secret is empty");
  return SecretString;
}

/** Stores what Stripe knows us by; functions that have read it already go on with the old one until they end. */
export async function writeStripeSecret(SecretId: string, secret: StripeSecret): Promise<void> {
  const SecretString = JSON.stringify(v.parse(StripeSecret, secret));
  await secretsManagerClient().send(new PutSecretValueCommand({ SecretId, SecretString }));
}
