import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startStripe } from "stripe-stand-in/server";
import type { TestProject } from "vitest/node";
import { registerPortal } from "#lib/billing/portal-configuration.ts";
import { clientOf } from "#lib/billing/stripe.ts";
import { adapt, bootstrap, deploy, putSecret, writeVariables } from "./deploy.ts";
import { startMinistack } from "./ministack.ts";

const webhookSecret = "whsec_local";

/** Deploys the stack once, and passes its URL to the tests. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), "odis-deployed-"));
  const ministack = await startMinistack(folder);
  const stripe = await startStripe();
  const stop = async () => {
    await stripe.close();
    await ministack.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const variables = {
      STRIPE_API_BASE: stripe.url,
      REDIRECT_ORIGINS: ministack.endpoint,
      // Tests exceed the rate limit of a caller.
      THROTTLE: "off",
    };
    writeVariables(folder, variables);
    await bootstrap();
    const outputs = await deploy(folder);
    // Bypasses the distribution, because ministack does not support origins.
    const url = `${ministack.endpoint}/_aws/execute-api/${outputs.HttpApiId}/$default`;
    const secret_key = "sk_test_local";
    const { id: portal_configuration } = await registerPortal(clientOf({ secret_key }, stripe.url));
    await putSecret(outputs.StripeSecretArn, { secret_key, webhook_secret: webhookSecret, portal_configuration });
    await putSecret(outputs.StripeReadingSecretArn, { secret_key });
    await adapt(outputs);
    stripe.sendEventsTo({ url: `${url}/webhooks/stripe`, secret: webhookSecret });
    provide("deployed", {
      url,
      folder,
      variables,
      stage: "sandbox",
      tableName: outputs.TableName,
      userPoolId: outputs.UserPoolId,
      clientId: outputs.ClientId,
    });
  } catch (failure) {
    await stop();
    throw failure;
  }
  return stop;
}
