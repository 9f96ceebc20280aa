import * as v from "valibot";
import { logError } from "../log.ts";
import { setBack } from "../store/due.ts";
import { kindOf } from "../store/keys.ts";
import type { Delivered } from "../store/set-aside.ts";
import { recordFrom } from "../store/stream-records.ts";
import { User } from "../store/users.ts";
import type { BillingContext } from "./context.ts";
import { type CustomerDetails, copyProfile, customerDetails } from "./profile.ts";

/** The profile fields that are copied to members and Stripe customers. */
const copiedFields = ["username", "email", "first_name", "last_name"];

const detailNames = ["email", "name"] as const satisfies (keyof CustomerDetails)[];

/** Whether a record of the stream changes a copied field of a profile. */
export function isProfileChange(record: unknown): boolean {
  const { key, before, after } = recordFrom(record);
  return (
    kindOf(key) === "user" && copiedFields.some((name) => before?.[name] !== after?.[name]) && before !== undefined
  );
}

/**
 * Updates the copies of changed profiles, once for each person. Adds failed updates to the tasks of the schedule, so that they do
 * not block the stream.
 *
 * @returns the records whose failed updates could not be added to the tasks
 */
export async function copyChangedProfiles<R extends Delivered>(
  context: BillingContext,
  records: readonly R[],
): Promise<R[]> {
  const failed: R[] = [];
  const byPerson = Map.groupBy(records, (record) => Number(recordFrom(record).after?.id ?? 0));
  byPerson.delete(0);
  for (const [userId, changes] of byPerson) {
    const had = detailNames.filter((name) => changes.some((record) => hasChanged(record, name)));
    try {
      await copyProfile(context, userId, had);
    } catch (error) {
      logError(error instanceof Error ? error : new Error("A profile was not copied"), { user_id: userId });
      const task = { kind: "profile", user_id: userId, had };
      await setBack(context.table, task, `profile ${userId}`, context.now).catch(() => failed.push(...changes));
    }
  }
  return failed;
}

/** Whether a record of the stream changes a detail of a person's customers that was set. True if it cannot be read. */
function hasChanged(record: unknown, name: keyof CustomerDetails): boolean {
  const { before, after } = recordFrom(record);
  const [former, current] = [before, after].map((item) => v.safeParse(User, item ?? {}));
  if (!former?.success || !current?.success) return true;
  const had = customerDetails(former.output)[name];
  return had !== undefined && had !== customerDetails(current.output)[name];
}
