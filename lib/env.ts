import * as v from "valibot";
import { maxEpoch } from "./epoch.ts";

const text = v.string();
const url = v.pipe(text, v.url("must be a URL"));
/** Whether a text is an origin. `http://localhost:*` stands for every port. */
const isOrigin = (origin: string) => URL.canParse(origin.replace(/:\*$/, ""));
const origins = v.pipe(
  text,
  v.transform((list) => list.split(",").filter((one) => one !== "")),
  v.array(v.pipe(text, v.check(isOrigin, "must be a URL"))),
);
const noKeys = "must have keys";
const jwks = v.pipe(
  text,
  v.parseJson(undefined, "must be JSON"),
  v.object({ keys: v.array(v.looseObject({ kty: v.string(noKeys) }, noKeys), noKeys) }, noKeys),
);

/** Variables that the stack sets. Each function has only those that it needs. */
export const stackVariables = {
  TABLE_NAME: text,
  /** The epoch of the stage (`lib/epoch.ts`). */
  EPOCH: v.optional(
    v.pipe(text, v.regex(/^\d+$/, "must be a whole number"), v.toNumber(), v.maxValue(maxEpoch, "is too high")),
    "0",
  ),
  /** Key that signs cursors, and previews of changes. */
  CURSOR_KEY: text,
  USER_POOL_ID: text,
  /** Id of the user pool's client. */
  CLIENT_ID: text,
  EVENT_BUS_NAME: text,
  /** ARN of the secret with Stripe's keys. */
  STRIPE_SECRET_ARN: text,
  /** Origins to which Stripe may redirect, separated by commas. Only the local stack allows every port of a host. */
  REDIRECT_ORIGINS: v.optional(origins, ""),
  /** URL of the site, for links such as those to problem descriptions. Without it, links are paths. */
  SITE_URL: v.optional(url),
  METRICS_NAMESPACE: v.optional(text, "odis-local"),
  /** Bucket of the directory's snapshots. */
  SNAPSHOTS_BUCKET: text,
  /** Bucket with the list of erasures. */
  ERASURES_BUCKET: text,
  /** Bucket with the exports of the user pool's accounts. */
  ACCOUNTS_BUCKET: text,
  /** Bucket of stream records that a consumer could not handle. */
  FAILED_RECORDS_BUCKET: text,
  /** Queue of deliveries to event destinations. */
  DELIVERY_QUEUE_URL: url,
  /** Queue of deliveries to slow event destinations. */
  SLOW_DELIVERY_QUEUE_URL: url,
  /** ARN of the secret with the key that encrypts the secrets of event destinations. */
  SEALING_KEY_ARN: text,
};

/** Variables for stand-ins of AWS and Stripe, and for values that would otherwise be fetched. */
export const standInVariables = {
  // Variables of the AWS SDKs: the default endpoint, and those of single services.
  AWS_ENDPOINT_URL: v.optional(url),
  AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER: v.optional(url),
  AWS_ENDPOINT_URL_DYNAMODB: v.optional(url),
  AWS_ENDPOINT_URL_EVENTBRIDGE: v.optional(url),
  AWS_ENDPOINT_URL_S3: v.optional(url),
  AWS_ENDPOINT_URL_SECRETS_MANAGER: v.optional(url),
  AWS_ENDPOINT_URL_SQS: v.optional(url),
  /** The public keys of the user pool. */
  JWKS: v.optional(jwks),
  /** `true` allows event destinations on this machine. */
  LOOPBACK_DESTINATIONS: v.optional(v.picklist(["true", "false"])),
  /** The key itself, instead of `SEALING_KEY_ARN`. */
  SEALING_KEY: v.optional(text),
  STRIPE_API_BASE: v.optional(url),
  /** Stripe's keys themselves, instead of `STRIPE_SECRET_ARN`. */
  STRIPE_SECRET: v.optional(text),
};

/** Variables that AWS Lambda sets. Scripts set all but the first, from the current credentials. */
const lambdaVariables = {
  AWS_LAMBDA_FUNCTION_NAME: v.optional(text),
  AWS_REGION: text,
  AWS_ACCESS_KEY_ID: text,
  AWS_SECRET_ACCESS_KEY: text,
  AWS_SESSION_TOKEN: v.optional(text),
};

/** All environment variables that functions read. An empty variable counts as missing. */
const Environment = v.object({
  ...stackVariables,
  ...standInVariables,
  /** `off` disables the rate limits of callers. */
  THROTTLE: v.optional(v.picklist(["on", "off"], "must be on or off"), "on"),
  /** `error` omits the line about each request. An invalid value counts as `info`, so that requests do not fail. */
  LOG_LEVEL: v.fallback(v.picklist(["info", "error"]), "info"),
  ...lambdaVariables,
});

type Environment = v.InferOutput<typeof Environment>;
type Variable = keyof Environment;

/** Names of variables that the stack may give to a function. */
export type StackVariable = keyof typeof stackVariables;

const parsed = new Map<Variable, { readonly raw: string | undefined; readonly value: unknown }>();

/**
 * An environment variable, parsed at its first use and again only if it has changed.
 *
 * @throws Error that names the variable if it is missing or malformed. It does not show the value, which may be secret.
 */
export function env<Name extends Variable>(name: Name): Environment[Name] {
  const raw = process.env[name] || undefined;
  let entry = parsed.get(name);
  if (!entry || entry.raw !== raw) {
    entry = { raw, value: parse(name, raw) };
    parsed.set(name, entry);
  }
  return entry.value as Environment[Name];
}

/** The name of the stage, which the metrics namespace ends with: `odis-<stage>` (`infra/settings.ts`). */
export const stage = (): string => env("METRICS_NAMESPACE").replace(/^odis-/, "");

/** Whether a variable has a value, valid or not. */
export const isSet = (name: Variable): boolean => Boolean(process.env[name]);

function parse(name: Variable, raw: string | undefined): unknown {
  const { success, output, issues } = v.safeParse(Environment.entries[name], raw);
  if (success) return output;
  if (raw === undefined) throw new Error(`Missing environment variable ${name}`);
  throw new Error(`Malformed environment variable ${name}: ${issues[0].message}`);
}
