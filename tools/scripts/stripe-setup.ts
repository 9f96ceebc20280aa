import { InvalidArgumentError } from "commander";
import type Stripe from "stripe";
import { command, run, UsageError } from "../command.ts";
import { useProfile } from "./aws-profile.ts";
import { type OfStack, ofStack, outputsOf } from "./stack-outputs.ts";

type SetupOptions = OfStack & {
  readonly apiUrl?: string;
  readonly secretArn?: string;
  readonly readingSecretArn?: string;
  readonly check?: true;
  readonly replace?: true;
  readonly revoke?: true;
  readonly remove?: true;
};

const program = ofStack(
  command(
    "STRIPE_SECRET_KEY=sk_… npm run stripe:setup --",
    "Creates what a deployed stack needs in Stripe (webhook endpoint, portal configuration), and stores Stripe's key and the signing secret in the stack's secret.",
  ),
)
  .option("--api-url <url>", "URL of the API, instead of the output ApiUrl. With --remove, AWS is not needed", urlOf)
  .option("--secret-arn <arn>", "ARN of the secret, instead of the output StripeSecretArn")
  .option("--reading-secret-arn <arn>", "ARN of the secret for routes that only read, instead of the output")
  .option("--check", "Change nothing, and list problems and settings to check in Stripe's dashboard")
  .option("--replace", "Create a new endpoint with a new signing secret, and remove the old one")
  .option(
    "--revoke",
    "With --replace: invalidate the old signing secret immediately. Otherwise it stays valid for a day",
  )
  .option("--remove", "Only remove the endpoint, before the stack is deleted. Stripe would send its events for days")
  .addHelpText(
    "after",
    `
Requires AWS credentials that may read and write the secret. Stripe reveals a signing secret only when an endpoint is
created. If STRIPE_FUNCTIONS_KEY=rk_… is set, it is stored instead of STRIPE_SECRET_KEY: a restricted key with fewer
permissions. Later runs keep it, unless they set STRIPE_FUNCTIONS_KEY to another key. STRIPE_READING_KEY=rk_… is stored
for the routes that only read. It must be a restricted key without write permissions.`,
  )
  .action(setUp);

async function setUp(options: SetupOptions): Promise<void> {
  const [key, functionsKey, readingKey] = await Promise.all(
    ["STRIPE_SECRET_KEY", "STRIPE_FUNCTIONS_KEY", "STRIPE_READING_KEY"].map(keyIn),
  );
  const { STRIPE_API_BASE: apiBase } = process.env;
  if (!key)
    throw new UsageError(
      "STRIPE_SECRET_KEY is missing. Usage: STRIPE_SECRET_KEY=sk_… npm run stripe:setup -- [options]",
    );
  if (options.revoke && !options.replace) throw new UsageError("--revoke requires --replace");
  if (options.remove && (options.check || options.replace))
    throw new UsageError("--remove cannot be combined with --check or --replace");

  const { clientOf } = await import("#lib/billing/stripe.ts");
  const stripe = clientOf({ secret_key: key }, apiBase);
  if (options.remove) return removeEndpoint(stripe, options);
  await useProfile();
  const isComplete = options.apiUrl && options.secretArn && options.readingSecretArn;
  const { ApiUrl = "", StripeSecretArn = "", StripeReadingSecretArn = "" } = isComplete ? {} : await outputsOf(options);
  const { apiUrl = ApiUrl, secretArn = StripeSecretArn, readingSecretArn = StripeReadingSecretArn } = options;
  const { MalformedSecret, readStoredReadingKey, readStoredStripeSecret } = await import("#lib/secrets.ts");
  const url = webhookAt(apiUrl);
  // A malformed secret is replaced like one that is missing.
  const ignoreMalformed = (error: unknown): undefined => {
    if (!(error instanceof MalformedSecret)) throw error;
    console.log(`WRONG  ${error.message}`);
  };
  const stored = await readStoredStripeSecret(secretArn).catch(ignoreMalformed);
  const storedKey = (await readStoredReadingKey(readingSecretArn).catch(ignoreMalformed))?.secret_key;

  if (options.check) {
    const { findSetupProblems, manualChecks } = await import("./stripe-setup/check.ts");
    const setupProblems = await findSetupProblems({ key, stored, readingKey: storedKey, url, apiBase });
    for (const problem of setupProblems) console.log(`WRONG  ${problem}`);
    if (setupProblems.length === 0) console.log("Webhook, portal, secret and permissions are set up correctly");
    console.log("\nCheck these in Stripe's dashboard:");
    for (const check of await manualChecks(stripe, { url, ...options })) console.log(`  ${check}`);
    if (setupProblems.length > 0) process.exitCode = 1;
    return;
  }
  const { accountProblems, keysOf, restrictedKeyOf } = await import("./stripe-setup/account.ts");
  const keys = keysOf(stored, { key, functionsKey, readingKey: readingKey || storedKey });
  const problems = await accountProblems(keys, apiBase);
  if (problems.length > 0) {
    console.log(`${problems.join(". ")}. Nothing was changed.

Use keys of one account and mode. A stage cannot change them later, because its tiers and members have ids of Stripe. If it
has neither yet, empty its secrets, and run the command again:

  aws secretsmanager put-secret-value --secret-id ${secretArn} --secret-string '{}'
  aws secretsmanager put-secret-value --secret-id ${readingSecretArn} --secret-string '{}'
`);
    process.exitCode = 1;
    return;
  }
  const { register } = await import("./stripe-setup/register.ts");
  const { otherEndpoints } = await import("./stripe-setup/check.ts");
  const { registerReadingKey } = await import("./stripe-setup/reading-key.ts");
  const keptKey = functionsKey ? undefined : await restrictedKeyOf(stored, apiBase);
  if (keptKey !== undefined)
    console.log("Functions keep their restricted key. To store another one, set STRIPE_FUNCTIONS_KEY");
  const secret_key = functionsKey || keptKey || key;
  const isDone = await register({ stripe, apiBase, url, secretArn, stored, secret_key, ...options });
  for (const other of await otherEndpoints(stripe, { url, ...options })) console.log(other);
  const reading = { key: readingKey || undefined, storedKey, secretArn: readingSecretArn, apiBase };
  if (!(await registerReadingKey(reading)) || !isDone) process.exitCode = 1;
}

/** Returns the key in a variable. @throws UsageError if it is not of Stripe's form */
async function keyIn(name: string): Promise<string | undefined> {
  const text = process.env[name];
  if (!text) return undefined;
  const { SecretKey } = await import("#lib/secrets.ts");
  const { is, parse } = await import("valibot");
  if (!is(SecretKey, text)) throw new UsageError(`${name} must be a key of Stripe: sk_… or rk_…`);
  return parse(SecretKey, text);
}

/** Removes the endpoint of a stack, or the one at a given address. A former address needs no stack. */
async function removeEndpoint(stripe: Stripe, options: SetupOptions): Promise<void> {
  let { apiUrl } = options;
  if (apiUrl === undefined) {
    await useProfile();
    ({ ApiUrl: apiUrl = "" } = await outputsOf(options));
  }
  const url = webhookAt(apiUrl);
  const { unregisterWebhook } = await import("#lib/billing/webhook-endpoint.ts");
  const removed = await unregisterWebhook(stripe, url);
  for (const id of removed) console.log(`Removed ${id}`);
  if (removed.length === 0) console.log(`There is no endpoint for ${url}`);
}

const webhookAt = (apiUrl: string): string => new URL("webhooks/stripe", `${apiUrl.replace(/\/$/, "")}/`).href;

function urlOf(text: string): string {
  if (URL.canParse(text)) return text;
  throw new InvalidArgumentError("It must be a URL.");
}

await run(program);
