import { logError } from "../log.ts";
import { setBack } from "../store/due.ts";
import { kindOf } from "../store/keys.ts";
import type { Delivered } from "../store/set-aside.ts";
import { recordFrom } from "../store/stream-records.ts";
import type { BillingContext } from "./context.ts";
import { copyProfile } from "./profile.ts";

const copied = ["username", "email", "first_name", "last_name"];

/** Whether a record of the stream says that a profile has been changed. */
export function isProfileChange(record: unknown): boolean {
  const { key, before, after } = recordFrom(record);
  return kindOf(key) === "user" && copied.some((name) => before?.[name] !== after?.[name]) && before !== undefined;
}

/**
 * Brings the copies of changed profiles up to date. What fails is left to the schedule, so that it holds up nothing else
 * of the stream.
 *
 * @returns the records that could not even be left to it
 */
export async function followProfiles<R extends Delivered>(
  context: BillingContext,
  records: readonly R[],
): Promise<R[]> {
  const failed: R[] = [];
  for (const record of records) {
    const userId = Number(recordFrom(record).after?.id ?? 0);
    if (userId === 0) continue;
    try {
      await copyProfile(context, userId);
    } catch (error) {
      logError(error instanceof Error ? error : new Error("A profile was not copied"), { user_id: userId });
      const task = { kind: "profile", user_id: userId };
      await setBack(context.table, task, `profile ${userId}`, context.now).catch(() => failed.push(record));
    }
  }
  return failed;
}
