import { GetSecretValueCommand, PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import * as v from "valibot";
import { secretsManagerClient } from "./aws.ts";
import { env } from "./env.ts";
import { measure } from "./log.ts";
import { Problem } from "./problem.ts";
import { machine } from "./runtime.ts";

const SigningSecret = v.pipe(v.string(), v.startsWith("whsec_"));

/** What a function holds that only reads at Stripe. */
const StripeKey = v.object({ secret_key: v.pipe(v.string(), v.regex(/^[sr]k_(test|live)_\w+$/)) });
type StripeKey = v.InferOutput<typeof StripeKey>;

const StripeSecret = v.object({
  ...StripeKey.entries,
  webhook_secret: SigningSecret,
  /** The signing secret before this one, of which events may still be on their way. */
  previous: v.optional(v.object({ webhook_secret: SigningSecret, until: v.pipe(v.string(), v.isoTimestamp()) })),
  /** The configuration of the customer portal; without it Stripe takes the account's default. */
  portal_configuration: v.optional(v.pipe(v.string(), v.startsWith("bpc_"))),
});
export type StripeSecret = v.InferOutput<typeof StripeSecret>;

/** Nobody has stored the secret yet, as in a new stack: what needs Stripe is unavailable, and nothing is wrong. */
export class StripeNotSetUp extends Problem {
  constructor() {
    super("payment_processor_unavailable", { detail: "Stripe is not set up yet", headers: { "retry-after": "60" } });
  }
}

/** How old a secret may be that is used, in milliseconds: so long does one that is revoked stay valid. */
const maxAgeMs = 5 * 60_000;

/**
 * What was read from Secrets Manager, which is read anew after five minutes. While Secrets Manager fails, the last one is
 * used. `signal` ends the call at the request's deadline.
 */
export function kept<T>(read: (signal?: AbortSignal) => Promise<T>): (signal?: AbortSignal, now?: Date) => Promise<T> {
  let known: { readonly readAt: number; readonly value: Promise<T> } | undefined;
  return (signal, now = machine.now()) => {
    const before = known;
    if (before && now.getTime() - before.readAt < maxAgeMs) return before.value;
    const value = read(signal).catch((error: unknown) => {
      const isOutage = error instanceof Problem && error.code === "unavailable";
      if (before && isOutage) return before.value;
      known = undefined;
      throw error;
    });
    known = { readAt: now.getTime(), value };
    return value;
  };
}

/**
 * The secrets that Stripe knows us by: `STRIPE_SECRET` itself, or the one in Secrets Manager at `STRIPE_SECRET_ARN`,
 * which is {@link kept}.
 *
 * @throws Problem `unavailable` where Secrets Manager fails or does not answer, and {@link StripeNotSetUp}
 */
export const readStripeSecret = async (signal?: AbortSignal, now?: Date): Promise<StripeSecret> =>
  stripeSecretOf(await readStored(signal, now));

/** The key alone, which is all that the secret of a function holds that only reads at Stripe. Throws the same. */
export const readStripeKey = async (signal?: AbortSignal, now?: Date): Promise<StripeKey> =>
  keyOf(await readStored(signal, now));

// Not in functions that read another secret only.
const keptSecret = /* @__PURE__ */ kept((signal) => fetchSecret(env("STRIPE_SECRET_ARN"), signal).then(parse));

async function readStored(signal?: AbortSignal, now?: Date): Promise<Stored> {
  const given = env("STRIPE_SECRET");
  return given === undefined ? keptSecret(signal, now) : parse(given);
}

type Stored = Readonly<Record<string, unknown>>;

async function parse(text: string): Promise<Stored> {
  const { output: given, success } = v.safeParse(v.pipe(v.string(), v.parseJson(), v.looseObject({})), text);
  // A new stack has a random text.
  if (!success || Object.keys(given).length === 0) {
    measure("stripe_not_set_up");
    throw new StripeNotSetUp();
  }
  return given;
}

/** @throws Error that does not show the secret */
function keyOf(stored: Stored): StripeKey {
  const key = v.safeParse(StripeKey, stored);
  if (!key.success) throw new Error("The Stripe secret must have a secret_key of Stripe's form");
  return key.output;
}

/** @throws Error that does not show the secret */
function stripeSecretOf(stored: Stored): StripeSecret {
  const secret = v.safeParse(StripeSecret, stored);
  if (!secret.success) throw new Error('The Stripe secret must be {"secret_key":"sk_…","webhook_secret":"whsec_…"}');
  return secret.output;
}

/** The secrets that Stripe may have signed an event with. */
export function webhookSecretsOf({ webhook_secret, previous }: StripeSecret, now: Date): string[] {
  const isValid = previous !== undefined && now < new Date(previous.until);
  return [webhook_secret, ...(isValid ? [previous.webhook_secret] : [])];
}

/** How long to wait for Secrets Manager, in milliseconds, each of two times. */
const requestHandler = { connectionTimeout: 500, requestTimeout: 2000, throwOnRequestTimeout: true };

/**
 * The text of a secret that is not Stripe's.
 *
 * @throws Problem `unavailable` where Secrets Manager fails, or has no such secret
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

/** What is stored in a secret now; undefined where nothing is yet. */
export const readStoredStripeSecret = async (SecretId: string): Promise<StripeSecret | undefined> =>
  secretIn(SecretId, stripeSecretOf);

/** The same of the secret of functions that only read at Stripe. */
export const readStoredReadingKey = async (SecretId: string): Promise<StripeKey | undefined> => secretIn(SecretId, keyOf);

async function secretIn<T>(SecretId: string, from: (secret: Stored) => T): Promise<T | undefined> {
  return parse(await fetchSecret(SecretId, undefined)).then(from, (error: unknown) => {
    if (error instanceof StripeNotSetUp) return undefined;
    throw error;
  });
}

/** Stores what Stripe knows us by; functions that have read it go on with the old one for five minutes. */
export const writeStripeSecret = (SecretId: string, secret: StripeSecret): Promise<void> =>
  put(SecretId, v.parse(StripeSecret, secret));

/** The same for the functions that only read at Stripe. */
export const writeReadingKey = (SecretId: string, secret_key: string): Promise<void> =>
  put(SecretId, v.parse(StripeKey, { secret_key }));

async function put(SecretId: string, secret: StripeKey): Promise<void> {
  await secretsManagerClient().send(new PutSecretValueCommand({ SecretId, SecretString: JSON.stringify(secret) }));
}
