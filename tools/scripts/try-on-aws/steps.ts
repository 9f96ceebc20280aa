import { UsageError } from "../../command.ts";

/** The only stage that `npm run try:aws` deploys, tests and destroys. */
export const stage = "sandbox-try";

/** The table that the restore drill creates and deletes. */
export const restoredTable = `odis-${stage}-restored`;

/** The step that undoes `restore`. */
const deletion = "delete the restored table";

/** The step that creates the webhook endpoint, and the one that undoes it. */
const [setUp, removal] = ["set up Stripe", "remove the endpoint from Stripe"];

/** A step, in the words of `docs/untried.md`, and the command that a person would type. */
export type Step = {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

/** Keys of Stripe in test mode. */
export type StripeKeys = { readonly secretKey?: string | undefined; readonly readingKey?: string | undefined };

const npm = (script: string, ...words: readonly string[]) => ["npm", "run", script, "--", ...words] as const;
const ofStage = ["--stage", stage] as const;

/** Stands for the newest time to which DynamoDB restores for certain. */
const sixMinutesAgo = "<six minutes ago>";

/**
 * The command of a step that begins now.
 *
 * @param restoredTo the time to which an interrupted restore has begun to restore
 */
export const commandAt = ({ command }: Step, now: Date, restoredTo?: Date): readonly string[] =>
  command.map((word) =>
    word === sixMinutesAgo ? (restoredTo ?? new Date(now.getTime() - 6 * 60_000)).toISOString() : word,
  );

/** The steps in their order. Without both keys of Stripe, those that need Stripe are left out. */
export function stepsOf({ secretKey, readingKey }: StripeKeys): readonly Step[] {
  const env = { STRIPE_SECRET_KEY: secretKey ?? "", STRIPE_READING_KEY: readingKey ?? "" };
  // Without keys, doctor would report that Stripe is not set up.
  const ofStripe: Step[] = [
    { name: setUp, command: npm("stripe:setup", ...ofStage), env },
    { name: "doctor", command: npm("doctor", ...ofStage), env },
    {
      name: "contract of the stand-in for Stripe",
      command: ["npm", "run", "test:live", "--workspace", "stripe-stand-in"],
      env: { STRIPE_LIVE_TESTS: "1", STRIPE_TEST_KEY: env.STRIPE_SECRET_KEY },
    },
  ];
  return [
    { name: "deploy", command: npm("deploy", ...ofStage, "--yes") },
    { name: "migrate", command: npm("migrate", ...ofStage) },
    ...(secretKey && readingKey ? ofStripe : []),
    {
      name: "API tests",
      command: ["npx", "vitest", "run", "--config", "test/deployed/endpoint.config.ts"],
      env: { ODIS_STAGE: stage },
    },
    { name: "restore", command: npm("restore", ...ofStage, "--to", restoredTable, "--time", sixMinutesAgo) },
    {
      name: deletion,
      command: ["aws", "dynamodb", "delete-table", "--table-name", restoredTable],
      // Otherwise the AWS CLI shows its output in a pager, which waits for a key.
      env: { AWS_PAGER: "" },
    },
    ...(secretKey && readingKey ? [{ name: removal, command: npm("stripe:setup", ...ofStage, "--remove"), env }] : []),
    { name: "destroy", command: ["npm", "run", "destroy", "--", "--stage", stage, "--yes"] },
  ];
}

type Created = { readonly done: Readonly<Record<string, number>>; readonly hasRestoredTable: boolean };

/** The steps that remove what earlier steps created. An interrupted restore has created its table. */
export const cleanUp = (steps: readonly Step[], { done, hasRestoredTable }: Created): readonly Step[] =>
  steps.filter(
    ({ name }) => name === "destroy" || (name === deletion && hasRestoredTable) || (name === removal && setUp in done),
  );

/**
 * The steps to leave out: the named ones, and the deletion of a table that is then not restored.
 *
 * @throws UsageError for a step that does not exist, or without which the stage would remain
 */
export function skippedOf(
  names: readonly string[],
  { steps, done }: { readonly steps: readonly Step[]; readonly done: Readonly<Record<string, number>> },
): readonly string[] {
  const skippable = steps.map(({ name }) => name).filter((name) => !["deploy", deletion, "destroy"].includes(name));
  const unknown = names.find((name) => !skippable.includes(name));
  if (unknown !== undefined)
    throw new UsageError(`The step "${unknown}" cannot be skipped. Skippable: ${skippable.join(", ")}`);
  return names.includes("restore") && !("restore" in done) ? [...names, deletion] : names;
}
