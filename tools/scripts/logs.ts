import { setTimeout } from "node:timers/promises";
import { InvalidArgumentError } from "commander";
import { command, run } from "../command.ts";
import { useProfile } from "./aws-profile.ts";

type LogsOptions = {
  readonly stage: string;
  readonly since: number;
  readonly function?: string;
  readonly query?: string;
};

const program = command(
  "npm run logs --",
  "Runs a saved query over the logs of a deployed stack, and prints one line of JSON for each row.",
)
  .argument("[name]", "Name of the saved query", "Errors")
  .option("--stage <name>", "Stage of the stack", "sandbox")
  .option("--since <time>", "How far to look back, such as 30m, 12h or 2d", spanOf, spanOf("1h"))
  .option("--function <name>", "Only lines of this function, such as TriggersEvents")
  .option("--query <text>", "A query of CloudWatch Logs Insights, instead of the saved one")
  .addHelpText("after", '\nRequires AWS credentials. "npm run logs -- nothing" lists the saved queries.')
  .action(async (name: string, { stage, since, function: functionName, query }: LogsOptions) => {
    await useProfile();
    const { runSavedQuery } = await import("./saved-query.ts");
    const end = Date.now();
    const rows = await runSavedQuery(
      { stage, name, functionName, query, start: new Date(end - since), end: new Date(end) },
      () => setTimeout(1000),
    );
    for (const row of rows) console.log(JSON.stringify(row));
    if (rows.length === 0) console.error("No lines were found");
  });

/** Parses a time span such as `30m`. @returns milliseconds */
function spanOf(text: string): number {
  const [, count, unit = ""] = /^(\d+)([mhd])$/.exec(text) ?? [];
  const minutes = { m: 1, h: 60, d: 24 * 60 }[unit];
  if (minutes === undefined) throw new InvalidArgumentError("It must be a time span, such as 30m, 12h or 2d.");
  return Number(count) * minutes * 60_000;
}

await run(program);
