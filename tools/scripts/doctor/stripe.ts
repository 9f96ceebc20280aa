import { readStoredReadingKey, readStoredStripeSecret } from "#lib/secrets.ts";
import { isAcceptedByStripe } from "../stripe-setup/account.ts";
import { findSetupProblems } from "../stripe-setup/check.ts";
import type { Check, Fault } from "./check.ts";
import { type CheckedStack, outputOf } from "./stack.ts";

/** Whether Stripe accepts a key. */
export type KeyState = { readonly key: string; readonly isAccepted: boolean };

const setup = (stage: string, variables = "", options = ""): string =>
  `STRIPE_SECRET_KEY=sk_…${variables} npm run stripe:setup -- --stage ${stage}${options}`;

/** Without it, `stripe:setup` keeps a stored key that is restricted. */
const ofFunctions = " STRIPE_FUNCTIONS_KEY=rk_…";

/** A key of Stripe that is revoked, or of the wrong mode. */
export function keyFaults({ key, isAccepted }: KeyState, stage: string): readonly Fault[] {
  const mode = key.includes("_live_") ? "live" : "test";
  const command = setup(stage, key.startsWith("rk_") ? ofFunctions : "");
  const isRight = (stage === "prod") === (mode === "live");
  return [
    !isAccepted && {
      says: "Stripe does not accept the stored key: it was revoked or has expired.",
      command,
    },
    !isRight && {
      says: `The stored key is of Stripe's ${mode} mode, but ${stage} needs one of the ${mode === "live" ? "test" : "live"} mode.`,
      command,
    },
  ].filter((fault) => fault !== false);
}

/** Problems that the checks of the secrets report. */
const ofSecrets = ["Secret: nothing is stored", "Read-only key: none is stored"];

/** Problems of the endpoint, the portal and the permissions. @param setupProblems those that `stripe:setup --check` lists */
export const setupFaults = (setupProblems: readonly string[], stage: string): readonly Fault[] =>
  setupProblems
    .filter((problem) => !ofSecrets.includes(problem))
    .map((problem) => ({ says: `${problem}.`, command: commandFor(problem, stage) }));

function commandFor(problem: string, stage: string): string {
  // An endpoint that differs is replaced, together with its signing secret.
  if (/^Webhook \w+:/.test(problem)) return setup(stage, "", " --replace");
  if (/^(Reading|The read-only) key/.test(problem)) return setup(stage, " STRIPE_READING_KEY=rk_…");
  if (problem.startsWith("Key:")) return setup(stage, ofFunctions);
  return setup(stage);
}

/** Returns what a call throws, if it is a refusal of Stripe. */
const refusalOf = (error: unknown): string => (error as { type?: string }).type ?? "";

async function storedSecretOf(stack: CheckedStack) {
  const stored = await readStoredStripeSecret(outputOf(stack, "StripeSecretArn"));
  if (!stored) throw new Error("no key of Stripe is stored");
  return stored;
}

async function lookAtSetup(stack: CheckedStack): Promise<readonly Fault[]> {
  const stored = await storedSecretOf(stack);
  const reading = await readStoredReadingKey(outputOf(stack, "StripeReadingSecretArn"));
  const url = new URL("webhooks/stripe", `${outputOf(stack, "ApiUrl").replace(/\/$/, "")}/`).href;
  const key = process.env.STRIPE_SECRET_KEY || stored.secret_key;
  const apiBase = process.env.STRIPE_API_BASE;
  return findSetupProblems({ key, stored, readingKey: reading?.secret_key, url, apiBase }).then(
    (setupProblems) => setupFaults(setupProblems, stack.stage),
    (error: unknown) => {
      if (refusalOf(error) !== "StripePermissionError") throw error;
      throw new Error("the stored key may not read webhook endpoints: set STRIPE_SECRET_KEY=sk_…", { cause: error });
    },
  );
}

export const stripe: readonly Check[] = [
  {
    name: "Stripe's key",
    async look(stack) {
      const { secret_key: key } = await storedSecretOf(stack);
      return keyFaults({ key, isAccepted: await isAcceptedByStripe(key) }, stack.stage);
    },
  },
  { name: "Stripe's webhook endpoint, portal and permissions", look: lookAtSetup },
];
