import { GetSecretValueCommand, PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import * as v from "valibot";
import { secretsManagerClient } from "./aws.ts";
import { env } from "./env.ts";
import { measure } from "./log.ts";
import { Problem } from "./problem.ts";
import { machine } from "./runtime.ts";

// A secret that was pasted or read from a file may end with a newline.
const SigningSecret = v.pipe(v.string(), v.trim(), v.startsWith("whsec_"));

export const SecretKey = v.pipe(v.string(), v.trim(), v.regex(/^[sr]k_(test|live)_\w+$/));

/** The secret of functions that only read from Stripe. */
const StripeKey = v.object({ secret_key: SecretKey });
type StripeKey = v.InferOutput<typeof StripeKey>;

const StripeSecret = v.object({
  ...StripeKey.entries,
  webhook_secret: SigningSecret,
  /** The id of the endpoint that signs with `webhook_secret`. Absent if an earlier version stored the secret. */
  webhook_endpoint: v.optional(v.pipe(v.string(), v.startsWith("we_"))),
  /** The previous signing secret. Events that it signed are accepted until `until`. */
  previous: v.optional(v.object({ webhook_secret: SigningSecret, until: v.pipe(v.string(), v.isoTimestamp()) })),
  /** The id of the customer portal's configuration. If absent, Stripe uses the account's default. */
  portal_configuration: v.optional(v.pipe(v.string(), v.startsWith("bpc_"))),
  /** The id of the Stripe account. Absent if it was stored by an earlier version. */
  account: v.optional(v.pipe(v.string(), v.startsWith("acct_"))),
});
export type StripeSecret = v.InferOutput<typeof StripeSecret>;

/** The Stripe secret has not been stored yet, as in a new stack. It is not an error of the stack. */
export class StripeNotSetUp extends Problem {
  constructor() {
    super("payment_processor_unavailable", { detail: "Stripe is not set up yet", headers: { "retry-after": "60" } });
  }
}

/** How long a secret is cached, in milliseconds. A revoked secret can be in use for this time. */
const maxAgeMs = 5 * 60_000;

/**
 * Caches a secret for five minutes per execution environment. While Secrets Manager is unavailable, returns the expired value.
 * `signal` aborts the read at the request's deadline.
 */
export function cached<T>(
  read: (signal?: AbortSignal) => Promise<T>,
): (signal?: AbortSignal, now?: Date, maxAge?: number) => Promise<T> {
  let current: { readonly readAt: number; readonly value: Promise<T> } | undefined;
  return (signal, now = machine.now(), maxAge = maxAgeMs) => {
    const previous = current;
    if (previous && now.getTime() - previous.readAt < maxAge) return previous.value;
    const value = read(signal).catch((error: unknown) => {
      const isOutage = error instanceof Problem && error.code === "unavailable";
      if (previous && isOutage) return previous.value;
      current = undefined;
      throw error;
    });
    current = { readAt: now.getTime(), value };
    return value;
  };
}

/**
 * Reads the Stripe API key and the signing secrets: the value of `STRIPE_SECRET`, or the secret at `STRIPE_SECRET_ARN` in
 * Secrets Manager, which is {@link cached}.
 *
 * @param maxAge of the cached secret, in milliseconds. Default: five minutes
 * @throws Problem `unavailable` if Secrets Manager fails or does not respond; {@link StripeNotSetUp}
 */
export const readStripeSecret = async (signal?: AbortSignal, now?: Date, maxAge?: number): Promise<StripeSecret> =>
  stripeSecretOf(await readSecretObject(signal, now, maxAge));

/** Reads only the Stripe API key, from the same places. Throws like {@link readStripeSecret}. */
export const readStripeKey = async (signal?: AbortSignal, now?: Date): Promise<StripeKey> =>
  stripeKeyOf(await readSecretObject(signal, now));

// `PURE` lets the build drop this from functions that read only other secrets.
const readCachedSecret = /* @__PURE__ */ cached((signal) => fetchSecret(env("STRIPE_SECRET_ARN"), signal).then(parse));

async function readSecretObject(signal?: AbortSignal, now?: Date, maxAge?: number): Promise<SecretObject> {
  const text = env("STRIPE_SECRET");
  return text === undefined ? readCachedSecret(signal, now, maxAge) : parse(text);
}

type SecretObject = Readonly<Record<string, unknown>>;

async function parse(text: string): Promise<SecretObject> {
  const { output, success } = v.safeParse(v.pipe(v.string(), v.parseJson(), v.looseObject({})), text);
  // In a new stack, the secret is a random string.
  if (!success || Object.keys(output).length === 0) {
    measure("stripe_not_set_up");
    throw new StripeNotSetUp();
  }
  return output;
}

/** The stored text is an object, but not a secret of Stripe. The message does not contain the secret. */
export class MalformedSecret extends Error {}

/** @throws MalformedSecret */
function stripeKeyOf(secretObject: SecretObject): StripeKey {
  const key = v.safeParse(StripeKey, secretObject);
  if (!key.success) throw new MalformedSecret("The Stripe secret must have a secret_key of Stripe's form");
  return key.output;
}

/** @throws MalformedSecret */
function stripeSecretOf(secretObject: SecretObject): StripeSecret {
  const secret = v.safeParse(StripeSecret, secretObject);
  if (!secret.success)
    throw new MalformedSecret('The Stripe secret must be {"secret_key":"sk_…","webhook_secret":"whsec_…"}');
  return secret.output;
}

/** The signing secrets that are valid at `now`. */
export function webhookSecretsOf({ webhook_secret, previous }: StripeSecret, now: Date): string[] {
  const isValid = previous !== undefined && now < new Date(previous.until);
  return [webhook_secret, ...(isValid ? [previous.webhook_secret] : [])];
}

/** Timeouts of each of the two attempts to call Secrets Manager, in milliseconds. */
const requestHandler = { connectionTimeout: 500, requestTimeout: 2000, throwOnRequestTimeout: true };

/**
 * Reads the text of a secret.
 *
 * @throws Problem `unavailable` if Secrets Manager fails, or the secret does not exist or is empty
 */
export async function readSecret(SecretId: string, signal?: AbortSignal): Promise<string> {
  const text = await fetchSecret(SecretId, signal);
  if (text === "") throw new Problem("unavailable", { headers: { "retry-after": "60" } });
  return text;
}

async function fetchSecret(SecretId: string, signal: AbortSignal | undefined): Promise<string> {
  const client = secretsManagerClient({ maxAttempts: 2, requestHandler });
  const { SecretString } = await client
    .send(new GetSecretValueCommand({ SecretId }), signal && { abortSignal: signal })
    .catch((cause: unknown) => {
      if ((cause as Error).name === "ResourceNotFoundException") return { SecretString: "" };
      throw new Problem("unavailable", { headers: { "retry-after": "1" }, cause });
    });
  return SecretString ?? "";
}

/**
 * Reads the stored Stripe secret, without the cache. Undefined if nothing has been stored.
 *
 * @throws MalformedSecret
 */
export const readStoredStripeSecret = async (SecretId: string): Promise<StripeSecret | undefined> =>
  parseStored(SecretId, stripeSecretOf);

/**
 * Reads the stored key of functions that only read at Stripe. Undefined if nothing has been stored.
 *
 * @throws MalformedSecret
 */
export const readStoredReadingKey = async (SecretId: string): Promise<StripeKey | undefined> =>
  parseStored(SecretId, stripeKeyOf);

async function parseStored<T>(SecretId: string, parseObject: (secret: SecretObject) => T): Promise<T | undefined> {
  return parse(await fetchSecret(SecretId, undefined)).then(parseObject, (error: unknown) => {
    if (error instanceof StripeNotSetUp) return undefined;
    throw error;
  });
}

/** Stores the Stripe secret. Functions that have cached the old one use it for up to five minutes. */
export const writeStripeSecret = (SecretId: string, secret: StripeSecret): Promise<void> =>
  put(SecretId, v.parse(StripeSecret, secret));

/** Stores the key of functions that only read at Stripe. */
export const writeReadingKey = (SecretId: string, secret_key: string): Promise<void> =>
  put(SecretId, v.parse(StripeKey, { secret_key }));

async function put(SecretId: string, secret: StripeKey): Promise<void> {
  await secretsManagerClient().send(new PutSecretValueCommand({ SecretId, SecretString: JSON.stringify(secret) }));
}
