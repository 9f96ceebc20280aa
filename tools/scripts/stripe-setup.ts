import { InvalidArgumentError } from "commander";
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
  .option("--api-url <url>", "URL of the API, instead of the output ApiUrl", urlOf)
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
permissions. STRIPE_READING_KEY=rk_… is stored for the routes that only read. It must be a restricted key without
write permissions.`,
  )
  .action(setUp);

async function setUp(options: SetupOptions): Promise<void> {
  const { STRIPE_SECRET_KEY: key, STRIPE_FUNCTIONS_KEY: functionsKey, STRIPE_API_BASE: apiBase } = process.env;
  const { STRIPE_READING_KEY: readingKey } = process.env;
  if (!key)
    throw new UsageError(
      "STRIPE_SECRET_KEY is missing. Usage: STRIPE_SECRET_KEY=sk_… npm run stripe:setup -- [options]",
    );
  if (options.revoke && !options.replace) throw new UsageError("--revoke requires --replace");
  if (options.remove && (options.check || options.replace))
    throw new UsageError("--remove cannot be combined with --check or --replace");

  await useProfile();
  const isComplete = options.apiUrl && options.secretArn && options.readingSecretArn;
  const { ApiUrl = "", StripeSecretArn = "", StripeReadingSecretArn = "" } = isComplete ? {} : await outputsOf(options);
  const { apiUrl = ApiUrl, secretArn = StripeSecretArn, readingSecretArn = StripeReadingSecretArn } = options;
  const { clientOf } = await import("#lib/billing/stripe.ts");
  const { MalformedSecret, readStoredReadingKey, readStoredStripeSecret } = await import("#lib/secrets.ts");
  const stripe = clientOf({ secret_key: key }, apiBase);
  const url = new URL("webhooks/stripe", `${apiUrl.replace(/\/$/, "")}/`).href;
  if (options.remove) {
    const { unregisterWebhook } = await import("#lib/billing/webhook-endpoint.ts");
    const removed = await unregisterWebhook(stripe, url);
    for (const id of removed) console.log(`Removed ${id}`);
    if (removed.length === 0) console.log(`There is no endpoint for ${url}`);
    return;
  }
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
    for (const check of await manualChecks(stripe, url)) console.log(`  ${check}`);
    if (setupProblems.length > 0) process.exitCode = 1;
    return;
  }
  const { accountProblems, keysOf } = await import("./stripe-setup/account.ts");
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
  const secret_key = functionsKey || key;
  const isDone = await register({ stripe, apiBase, url, secretArn, stored, secret_key, ...options });
  for (const other of await otherEndpoints(stripe, url)) console.log(other);
  const reading = { key: readingKey || undefined, storedKey, secretArn: readingSecretArn, apiBase };
  if (!(await registerReadingKey(reading)) || !isDone) process.exitCode = 1;
}

function urlOf(text: string): string {
  if (URL.canParse(text)) return text;
  throw new InvalidArgumentError("It must be a URL.");
}

await run(program);
