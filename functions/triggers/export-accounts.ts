import type { Context } from "aws-lambda";
import { type ExportContext, type ExportOutcome, exportAccounts, exportPeriodMs } from "#lib/accounts/export.ts";
import { cognitoClient, s3Client } from "#lib/aws.ts";
import { env } from "#lib/env.ts";
import { logInfo } from "#lib/log.ts";
import { machine } from "#lib/runtime.ts";

/** Time for the upload of a part and of the state, in milliseconds. */
const reserveMs = 30_000;

const cognito = cognitoClient({ maxAttempts: 10 });
const s3 = s3Client();

/**
 * On a schedule: exports the accounts of the user pool once a day. If the time runs out, the next run resumes where this one
 * stopped.
 */
export const handler = (_event: unknown, context: Context): Promise<ExportOutcome> =>
  exportDaily(
    { cognito, s3, poolId: env("USER_POOL_ID"), bucket: env("ACCOUNTS_BUCKET"), runtime: machine },
    () => context.getRemainingTimeInMillis() - reserveMs,
  );

/**
 * One run of the schedule.
 *
 * @param left the remaining time of the run in milliseconds
 * @throws Error if the last export is older than two periods, so that Lambda counts an error
 */
export async function exportDaily(context: ExportContext, left: () => number): Promise<ExportOutcome> {
  const outcome = await exportAccounts(context, { left });
  logInfo("export of accounts", outcome);
  if (outcome.status === "unfinished" && outcome.exported_at !== undefined) {
    const age = context.runtime.now().getTime() - Date.parse(outcome.exported_at);
    if (age > 2 * exportPeriodMs) throw new Error(`The accounts were last exported at ${outcome.exported_at}`);
  }
  return outcome;
}
