import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { clientOf } from "#lib/billing/stripe.ts";
import { registerWebhook } from "#lib/billing/webhook-endpoint.ts";
import { writeStripeSecret } from "#lib/secrets.ts";
import { useProfile } from "./aws-profile.ts";

const { values: options } = parseArgs({
  options: {
    stage: { type: "string", default: "sandbox" },
    outputs: { type: "string", default: "cdk.out/outputs.json" },
    "api-url": { type: "string" },
    "secret-arn": { type: "string" },
    replace: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

const usage = `Usage: STRIPE_SECRET_KEY=sk_… npm run stripe:setup -- [options]

Has Stripe send its events to the webhook of a deployed stack, and puts the key and the signing secret, which Stripe
tells only once, into the stack's secret. Needs AWS credentials that may write it.

  --stage sandbox                  which stack, of those that npm run deploy has noted in …
  --outputs cdk.out/outputs.json   … this file
  --api-url, --secret-arn          the outputs ApiUrl and StripeSecretArn, where there is no such file
  --replace                        a new endpoint with a new signing secret; the old one is removed`;

/** `npm run stripe:setup`. @returns the exit code */
async function main(): Promise<number> {
  const { STRIPE_SECRET_KEY: secret_key, STRIPE_API_BASE: apiBase } = process.env;
  const noted = await outputs();
  const ApiUrl = options["api-url"] ?? noted.ApiUrl;
  const StripeSecretArn = options["secret-arn"] ?? noted.StripeSecretArn;
  if (options.help || !secret_key || !ApiUrl || !StripeSecretArn) {
    console.log(usage);
    return options.help ? 0 : 2;
  }
  await useProfile();
  const url = new URL("webhooks/stripe", `${ApiUrl.replace(/\/$/, "")}/`).href;
  const keep = async (webhook_secret: string) => {
    try {
      await writeStripeSecret(StripeSecretArn, { secret_key, webhook_secret });
    } catch (error) {
      // Nobody can ask Stripe for it again.
      console.error(`The new secret could not be stored, and the old endpoint stays. Store the secret yourself:

  aws secretsmanager put-secret-value --secret-id ${StripeSecretArn} \\
    --secret-string '{"secret_key":"'$STRIPE_SECRET_KEY'","webhook_secret":"${webhook_secret}"}'
`);
      throw error;
    }
  };

  const stripe = clientOf({ secret_key }, apiBase);
  const registration = await registerWebhook(stripe, url, { replace: options.replace, keep });
  switch (registration.outcome) {
    case "made":
      console.log(`Stripe sends its events to ${url} (${registration.id})`);
      for (const id of registration.removed) console.log(`Removed ${id}`);
      return 0;
    case "there":
      console.log(`Stripe sends its events to ${url} already (${registration.id}); --replace gives it a new secret`);
      return 0;
    case "differs":
      console.log(`There is an endpoint for ${url} (${registration.id}), but:`);
      for (const wrong of registration.wrong) console.log(`  ${wrong}`);
      console.log("Run again with --replace");
      return 1;
    default:
      return registration satisfies never;
  }
}

type Outputs = { readonly ApiUrl?: string; readonly StripeSecretArn?: string };

/** What the last deployment of the stage has told. */
async function outputs(): Promise<Outputs> {
  const text = await readFile(options.outputs, "utf8").catch(() => "{}");
  return (JSON.parse(text) as Record<string, Outputs>)[`odis-${options.stage}`] ?? {};
}

process.exitCode = await main().catch((error: Error) => {
  console.error(error.message);
  return 1;
});
