import { GetSecretValueCommand, PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import * as v from "valibot";
import { secretsManagerClient } from "./aws.ts";
import { env } from "./env.ts";

const StripeSecret = v.object({
  secret_key: v.pipe(v.string(), v.regex(/^[sr]k_(test|live)_\w+$/)),
  webhook_secret: v.pipe(v.string(), v.startsWith("whsec_")),
});
export type StripeSecret = v.InferOutput<typeof StripeSecret>;

/** The secrets that Stripe knows us by: `STRIPE_SECRET` itself, or the one in Secrets Manager at `STRIPE_SECRET_ARN`. */
export function readStripeSecret(): Promise<StripeSecret> {
  stripeSecret ??= read();
  // What could not be read is tried again at the next request.
  stripeSecret.catch(() => {
    stripeSecret = undefined;
  });
  return stripeSecret;
}

let stripeSecret: Promise<StripeSecret> | undefined;

async function read(): Promise<StripeSecret> {
  const text = env("STRIPE_SECRET") ?? (await fetchSecret(env("STRIPE_SECRET_ARN")));
  const secret = v.safeParse(StripeSecret, JSON.parse(text));
  if (!secret.success) throw new Error('The Stripe secret must be {"secret_key":"sk_…","webhook_secret":"whsec_…"}');
  return secret.output;
}

async function fetchSecret(SecretId: string): Promise<string> {
  const { SecretString } = await secretsManagerClient().send(new GetSecretValueCommand({ SecretId }));
  if (SecretString === undefined) throw new Error("The Stripe secret is empty");
  return SecretString;
}

/** Stores what Stripe knows us by; functions that have read it already go on with the old one until they end. */
export async function writeStripeSecret(SecretId: string, secret: StripeSecret): Promise<void> {
  const SecretString = JSON.stringify(v.parse(StripeSecret, secret));
  await secretsManagerClient().send(new PutSecretValueCommand({ SecretId, SecretString }));
}
