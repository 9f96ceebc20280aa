import { type Command, InvalidArgumentError, Option } from "commander";
import { brandImport } from "./brands.ts";
import { beforeWrite, type Context } from "./context.ts";
import { RowsRefused } from "./failures.ts";
import { importFile, type Kind } from "./import.ts";
import { placesOf } from "./journal.ts";
import { exportMembers, memberImport, type TierIds } from "./members.ts";
import { integer } from "./options.ts";
import { progressOf } from "./progress.ts";
import type { Opened } from "./session.ts";

type Export = {
  readonly community: number;
  readonly out?: string;
  readonly withoutStripe: boolean;
  readonly labels: boolean;
};

/** `members export` */
export function addMemberExport(group: Command, contextOf: () => Context): void {
  group
    .command("export")
    .summary("Export all members of a community")
    .description(
      "Exports all members, oldest first, as CSV if the name of the file ends in .csv, and as JSON Lines otherwise.",
    )
    .requiredOption("--community <id>", "Id of the community. Required.", integer)
    .option("--out <file>", "File to write (default: standard output)")
    .option(
      "--without-stripe",
      "For an import into another community: leave out the ids of members, of people with an email address, and of refunds, and all Stripe ids. The sums become opening balances",
      false,
    )
    .addOption(
      new Option(
        "--labels",
        "Instead, write shipping labels as CSV: of the members with access and an address whose tier requires one",
      )
        .conflicts("withoutStripe")
        .default(false),
    )
    .action(async ({ community, out: file, withoutStripe: isWithoutStripe, labels: isLabels }: Export) => {
      const context = contextOf();
      const { odis } = await context.open();
      const isOnTerminal = file === undefined && process.stdout.isTTY;
      const progress = progressOf("members", context.quiet === true || context.json === true || isOnTerminal);
      const count = await exportMembers(odis, community, { file, isWithoutStripe, isLabels, progress });
      if (context.json && file !== undefined) context.print({ members: count, file });
      else context.note(`${count} members`);
    });
}

/** `members import` */
export function addMemberImport(group: Command, contextOf: () => Context): void {
  const command = group
    .command("import")
    .summary("Import members into a community")
    .requiredOption("--community <id>", "Id of the community. Required.", integer)
    .option("--tier <old=new>", "Use tier new for rows with the tier_id old. Repeatable", tierPair)
    .addHelpText(
      "after",
      "\nA row's tier is found by its tier_id, or by its tier_name if only one tier of the community has that name.",
    );
  addImport(command, contextOf, (opened) => {
    const { community, tier = new Map() } = command.opts<{ community: number; tier?: TierIds }>();
    return memberImport(opened, community, tier);
  });
}

/** `brands import` */
export function addBrandImport(group: Command, contextOf: () => Context): void {
  const command = group
    .command("import")
    .summary("Import brands of a producer")
    .requiredOption("--producer <id>", "Id of the producer. Required.");
  addImport(command, contextOf, ({ odis }) => brandImport(odis, command.opts<{ producer: string }>().producer));
}

function tierPair(text: string, pairs: TierIds = new Map()): TierIds {
  const [, before, after] = /^(\d+)=(\d+)$/.exec(text) ?? [];
  if (before === undefined) throw new InvalidArgumentError("It must be two ids, such as 11=57.");
  return new Map([...pairs, [Number(before), Number(after)]]);
}

type Options = { readonly dryRun: boolean; readonly fresh: boolean; readonly concurrency: number };

function addImport(command: Command, contextOf: () => Context, kindOf: (opened: Opened) => Kind | Promise<Kind>): void {
  command
    .description(
      `${command.summary()}: CSV if the name of the file ends in .csv, JSON Lines otherwise. Resumes after an interruption. Refused rows are written to <file>.refused.jsonl, which can be corrected and imported.`,
    )
    .argument("<file>", "File to import")
    .option("--dry-run", "Only check the rows, and change nothing", false)
    .option("--fresh", "Start with the first row instead of resuming an earlier import of the file", false)
    .option("--concurrency <count>", "Number of concurrent requests", integer, 4)
    .action(async (file: string, options: Options) => {
      const context = contextOf();
      const opened = await context.open();
      if (!options.dryRun) await beforeWrite(opened, context);
      const kind = await kindOf(opened);
      await runImport(file, { ...kind, target: `${opened.apiUrl} ${kind.target}` }, options, context);
    });
}

/** Imports a file and prints the outcome. @throws RowsRefused */
async function runImport(file: string, kind: Kind, options: Options, context: Context): Promise<void> {
  const { dryRun: isDryRun, fresh: isFresh, concurrency } = options;
  const { json, quiet, note, print } = context;
  const begun = performance.now();
  const progress = progressOf("rows", quiet === true || json === true);
  const imported = await importFile(file, kind, { isDryRun, isFresh, concurrency, note }, progress);
  const { counts, resumedAfter, refused } = imported;
  const seconds = Number(((performance.now() - begun) / 1000).toFixed(1));
  const { report } = placesOf(file);

  if (resumedAfter > 0)
    note(`An earlier run had done the first ${resumedAfter} rows. To import them again, add --fresh`);
  for (const { line, errors } of refused)
    for (const { pointer = "", message } of errors)
      note(`Line ${line}: ${[pointer, message].filter(Boolean).join(" ")}`);
  if (json) print({ ...counts, dry_run: isDryRun, resumed_after: resumedAfter, seconds, ...(!isDryRun && { report }) });
  else console.log(`${summaryOf(counts, isDryRun)} (${seconds.toFixed(1)} s)`);
  if (counts.refused > 0)
    throw new RowsRefused(
      isDryRun
        ? `${counts.refused} rows would be refused`
        : `${counts.refused} rows were refused. They are in ${report}. Correct them there, and import that file`,
    );
}

const summaryOf = (
  { created, updated, unchanged, refused }: Awaited<ReturnType<typeof importFile>>["counts"],
  isDryRun: boolean,
): string =>
  isDryRun
    ? `${created} would be sent, ${refused} would be refused`
    : `${created} created, ${updated} updated, ${unchanged} unchanged, ${refused} refused`;
