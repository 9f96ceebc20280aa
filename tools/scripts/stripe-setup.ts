import { readFile } from "node:fs/promises";
import { InvalidArgumentError } from "commander";
import { command, run, UsageError } from "../command.ts";
import { useProfile } from "./aws-profile.ts";

type Options = {
  readonly stage: string;
  readonly outputs: string;
  readonly apiUrl?: string;
  readonly secretArn?: string;
  readonly replace?: true;
};

const program = command(
  "STRIPE_SECRET_KEY=sk_… npm run stripe:setup --",
  "Registers the webhook of a deployed stack with Stripe, and stores Stripe's key and the signing secret in the stack's secret.",
)
  .option("--stage <name>", "Stage of the stack", "sandbox")
  .option("--outputs <file>", "File with the outputs of the last deployment", "cdk.out/outputs.json")
  .option("--api-url <url>", "URL of the API, if there is no such file (output ApiUrl)", urlOf)
  .option("--secret-arn <arn>", "ARN of the secret, if there is no such file (output StripeSecretArn)")
  .option("--replace", "Create a new endpoint with a new signing secret, and remove the old one")
  .addHelpText(
    "after",
    "\nNeeds AWS credentials that may write the secret. Stripe tells a signing secret only when an endpoint is created.",
  )
  .action(setUp);

async function setUp(options: Options): Promise<void> {
  const { STRIPE_SECRET_KEY: secret_key, STRIPE_API_BASE: apiBase } = process.env;
  const outputs = await outputsOf(options);
  const { apiUrl = outputs.ApiUrl, secretArn = outputs.StripeSecretArn } = options;
  if (!secret_key)
    throw new UsageError(
      "STRIPE_SECRET_KEY is missing. Usage: STRIPE_SECRET_KEY=sk_… npm run stripe:setup -- [options]",
    );
  if (!apiUrl || !secretArn)
    throw new UsageError(`Deploy the stage ${options.stage} first, or give --api-url and --secret-arn`);

  await useProfile();
  const { clientOf } = await import("#lib/billing/stripe.ts");
  const { registerWebhook } = await import("#lib/billing/webhook-endpoint.ts");
  const { writeStripeSecret } = await import("#lib/secrets.ts");
  const url = new URL("webhooks/stripe", `${apiUrl.replace(/\/$/, "")}/`).href;
  const keep = async (webhook_secret: string) => {
    try {
      await writeStripeSecret(secretArn, { secret_key, webhook_secret });
    } catch (error) {
      // Stripe does not tell it again.
      console.error(`The new secret could not be stored, and the old endpoint stays. Store the secret yourself:

  aws secretsmanager put-secret-value --secret-id ${secretArn} \\
    --secret-string '{"secret_key":"'$STRIPE_SECRET_KEY'","webhook_secret":"${webhook_secret}"}'
`);
      throw error;
    }
  };

  const registration = await registerWebhook(clientOf({ secret_key }, apiBase), url, {
    replace: options.replace ?? false,
    keep,
  });
  switch (registration.outcome) {
    case "made":
      console.log(`Stripe sends its events to ${url} (${registration.id})`);
      for (const id of registration.removed) console.log(`Removed ${id}`);
      return;
    case "there":
      console.log(`Stripe sends its events to ${url} already (${registration.id}); --replace gives it a new secret`);
      return;
    case "differs":
      console.log(`There is an endpoint for ${url} (${registration.id}), but:`);
      for (const wrong of registration.wrong) console.log(`  ${wrong}`);
      console.log("Run again with --replace");
      process.exitCode = 1;
      return;
    default:
      registration satisfies never;
  }
}

function urlOf(text: string): string {
  if (URL.canParse(text)) return text;
  throw new InvalidArgumentError("It must be a URL.");
}

type Outputs = { readonly ApiUrl?: string; readonly StripeSecretArn?: string };

/** The outputs of a stage's last deployment. */
async function outputsOf({ outputs, stage }: Options): Promise<Outputs> {
  const text = await readFile(outputs, "utf8").catch(() => "{}");
  return (JSON.parse(text) as Record<string, Outputs>)[`odis-${stage}`] ?? {};
}

await run(program);
