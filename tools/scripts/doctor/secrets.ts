import {
  DescribeSecretCommand,
  type DescribeSecretResponse,
  ResourceNotFoundException,
} from "@aws-sdk/client-secrets-manager";
import { secretsManagerClient } from "#lib/aws.ts";
import { readSecret, readStoredReadingKey, readStoredStripeSecret } from "#lib/secrets.ts";
import type { Check, Fault } from "./check.ts";
import { type MaybeInMaintenance, outputOf, revertDrift } from "./stack.ts";

/** A secret of the stack. */
export type SecretState = {
  /** `StripeSecretArn`, `StripeReadingSecretArn` or `SealingKeyArn` */
  readonly output: keyof typeof uses;
  readonly arn: string;
  /** Undefined if there is no such secret. */
  readonly description:
    | Pick<DescribeSecretResponse, "DeletedDate" | "LastChangedDate" | "VersionIdsToStages">
    | undefined;
  /** Whether functions can use its value. Undefined if the value is not looked at. */
  readonly isUsable?: boolean;
  /** Whether the value is a restricted key of Stripe. */
  readonly isRestricted?: boolean;
};

const uses = {
  StripeSecretArn: {
    what: "Stripe's key",
    effect: "Payments and the webhook fail",
    variable: "STRIPE_SECRET_KEY=sk_…",
  },
  StripeReadingSecretArn: {
    what: "Stripe's read-only key",
    effect: "Payment histories and subscription details return 503",
    variable: "STRIPE_SECRET_KEY=sk_… STRIPE_READING_KEY=rk_…",
  },
  SealingKeyArn: { what: "The key for secrets of event destinations", effect: "No event is delivered", variable: "" },
} as const;

/** Age from which a key of Stripe is due to be rolled, in days. */
const maxKeyDays = 365;

/** A secret that is missing, about to be deleted, empty, malformed, or due to be rotated. */
export function secretFaults(
  { output, arn, description, isUsable, isRestricted = false }: SecretState,
  { stage, isInMaintenance, now }: MaybeInMaintenance & { readonly now: Date },
): readonly Fault[] {
  const { what, effect, variable } = uses[output];
  if (!description)
    return [{ says: `${what}: the secret was deleted. ${effect}.`, command: revertDrift({ stage, isInMaintenance }) }];
  if (description.DeletedDate)
    return [
      {
        says: `${what}: the secret is about to be deleted. ${effect}.`,
        command: `aws secretsmanager restore-secret --secret-id ${arn}`,
      },
    ];
  const functionsKey = isRestricted && output === "StripeSecretArn" ? " STRIPE_FUNCTIONS_KEY=rk_…" : "";
  const store = `${variable}${functionsKey} npm run stripe:setup -- --stage ${stage}`;
  if (isUsable === false && output === "SealingKeyArn")
    return [
      {
        says: `${what}: it begins or ends with white space, so it is not the key that was in use. ${effect}.`,
        command: returnToPrevious(arn, description.VersionIdsToStages),
      },
    ];
  if (isUsable === false)
    return [{ says: `${what}: nothing usable is stored in the secret. ${effect}.`, command: store }];
  const days = (now.getTime() - (description.LastChangedDate?.getTime() ?? now.getTime())) / 86_400_000;
  if (output === "SealingKeyArn" || days < maxKeyDays) return [];
  return [
    {
      says: `${what} is ${Math.floor(days)} days old. Roll it in Stripe's dashboard at least once a year, and store the new one.`,
      command: store,
    },
  ];
}

/** Command that makes the previous value of a secret the current one. */
function returnToPrevious(arn: string, versions: DescribeSecretResponse["VersionIdsToStages"] = {}): string {
  const idOf = (stage: string) => Object.keys(versions).find((id) => versions[id]?.includes(stage)) ?? "<version>";
  const ids = `--move-to-version-id ${idOf("AWSPREVIOUS")} --remove-from-version-id ${idOf("AWSCURRENT")}`;
  return `aws secretsmanager update-secret-version-stage --secret-id ${arn} --version-stage AWSCURRENT ${ids}`;
}

/** What its value says about a secret. */
type ValueState = Pick<SecretState, "isUsable" | "isRestricted">;

const check = (
  name: string,
  output: SecretState["output"],
  lookAtValue: (arn: string) => Promise<ValueState>,
): Check => ({
  name,
  async look(stack) {
    const arn = outputOf(stack, output);
    const description = await secretsManagerClient()
      .send(new DescribeSecretCommand({ SecretId: arn }))
      .catch((error: unknown) => {
        if (error instanceof ResourceNotFoundException) return undefined;
        throw error;
      });
    const isThere = description && !description.DeletedDate;
    return secretFaults({ output, arn, description, ...(isThere && (await lookAtValue(arn))) }, stack);
  },
});

/** Whether a value could be read. A value of another form makes `readStored…` throw an error without a cause. */
const stateOf = (reading: Promise<{ readonly secret_key: string } | undefined>): Promise<ValueState> =>
  reading.then(
    (value) => ({ isUsable: value !== undefined, isRestricted: value?.secret_key.startsWith("rk_") ?? false }),
    (error: unknown) => {
      if (error instanceof Error && error.cause === undefined && error.message.startsWith("The Stripe secret"))
        return { isUsable: false };
      throw error;
    },
  );

export const secrets: readonly Check[] = [
  check("secret with Stripe's key", "StripeSecretArn", (arn) => stateOf(readStoredStripeSecret(arn))),
  check("secret with Stripe's read-only key", "StripeReadingSecretArn", (arn) => stateOf(readStoredReadingKey(arn))),
  check("secret with the sealing key", "SealingKeyArn", async (arn) => ({
    isUsable: /^\S.*\S$/.test(await readSecret(arn)),
  })),
];
