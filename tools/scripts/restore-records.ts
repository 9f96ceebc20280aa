import { readFile } from "node:fs/promises";
import { command, run, UsageError } from "../command.ts";
import { progressLine } from "./progress.ts";
import { ofRunningStack, type StackOptions, useRunningStack } from "./running-stack.ts";

type RestoreOptions = StackOptions & {
  readonly from?: string;
  readonly members?: string;
  readonly dryRun?: boolean;
  readonly overwriteEdits?: boolean;
};

const program = ofRunningStack(
  command(
    "npm run restore:records --",
    "Restores members from an earlier copy of the table while the stack is in use, and synchronizes them with Stripe. Idempotent: members that equal the copy are not changed.",
  ),
)
  .option("--from <table>", "Table that npm run restore has made")
  .option("--members <file>", "File with one member id per line")
  .option("--dry-run", "Only list the differences, and do not read Stripe. Exits with 1 if there are any")
  .option("--overwrite-edits", "Also restore fields that people have edited since the copy")
  .addHelpText(
    "after",
    `
Prints each difference with its values, which may be personal data. Works on the running local stack, unless --stage is
set. Exits with 1 if a member could not be restored.`,
  )
  .action(async ({ from, members, dryRun = false, overwriteEdits = false, ...stack }: RestoreOptions) => {
    if (from === undefined || members === undefined) throw new UsageError("Set --from and --members");
    const lines = (await readFile(members, "utf8")).split("\n").map((line) => line.trim());
    const ids = [...new Set(lines.filter((line) => line !== ""))].map(Number);
    if (ids.some((id) => !Number.isSafeInteger(id))) throw new UsageError(`${members} must have one id per line`);
    await useRunningStack(stack);
    const { billing } = await import("#lib/billing/stripe.ts");
    const { connect, documents } = await import("#lib/store/table.ts");
    const { erasedUsers } = await import("./erased-users.ts");
    const { restoreMembers } = await import("./restore-members.ts");

    const erased = new Set<number>();
    for await (const userId of erasedUsers()) erased.add(userId);
    const counter = progressLine(process.stderr);
    const counts = await restoreMembers(
      {
        table: connect()(),
        copy: connect(documents(), from)(),
        billing: billing(() => 60_000),
        isErased: (userId) => erased.has(userId),
        overwritesEdits: overwriteEdits,
        isDryRun: dryRun,
      },
      ids,
      {
        onProgress: (done) => counter.show(`${done} of ${ids.length} members`),
        onLine(line) {
          counter.clear();
          console.log(line);
        },
      },
    );
    counter.clear();
    const { restored, equal, not_in_copy, failed } = counts;
    console.log(
      `${restored} ${dryRun ? "differ" : "restored"}, ${equal} equal, ${counts.erased} erased, ${not_in_copy} not in the copy, ${failed} failed`,
    );
    if (failed > 0 || (dryRun && restored > 0)) process.exitCode = 1;
  });

await run(program);
