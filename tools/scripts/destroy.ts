import { createInterface } from "node:readline/promises";
import { command, run, UsageError } from "../command.ts";
import { useProfile } from "./aws-profile.ts";

type DestroyOptions = { readonly stage: string; readonly yes?: true };

const program = command(
  "npm run destroy --",
  "Deletes a sandbox with all its data: empties its buckets, and deletes its stack. Refuses to delete prod.",
)
  .requiredOption("--stage <name>", "Stage: sandbox or sandbox-<name>")
  .option("-y, --yes", "Delete without asking for confirmation")
  .addHelpText(
    "after",
    `
Requires AWS credentials that may delete the stack and the objects in its buckets. Resumes after an interruption, and
after a deletion that has failed.`,
  )
  .action(async ({ stage, yes }: DestroyOptions) => {
    if (!/^sandbox(-|$)/.test(stage)) throw new UsageError("Only a sandbox can be deleted");
    if (!yes && !process.stdin.isTTY) throw new UsageError("Cannot ask for confirmation without a terminal: set --yes");
    await useProfile();
    const stack = `odis-${stage}`;
    const { cloudFormation } = await import("./deploy/cloudformation.ts");
    const stacks = cloudFormation();
    if (!(await stacks.describe(stack))) throw new Error(`There is no stack ${stack}`);
    if (!yes && !(await isConfirmed(`Delete ${stack} with all its data in ${process.env.AWS_REGION}? (y/N) `))) return;
    const { s3Client } = await import("#lib/aws.ts");
    const { emptyBucket } = await import("./empty-bucket.ts");
    const s3 = s3Client();
    for (const bucket of await stacks.buckets(stack))
      console.log(`${bucket}: ${await emptyBucket(s3, bucket)} versions of objects deleted`);
    await stacks.delete(stack);
    console.log(`${stack} is deleted.`);
  });

async function isConfirmed(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(question);
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

await run(program);
