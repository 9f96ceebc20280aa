import type { BillingContext } from "#lib/billing/context.ts";
import { syncMember } from "#lib/billing/sync.ts";
import { type RestoreContext, type RestoreOutcome, restore } from "#lib/store/members/restore.ts";
import { findLink } from "#lib/store/members/sync.ts";
import { lineOf } from "../command.ts";
import { inParallel } from "./in-parallel.ts";

/** Number of members that are restored in parallel. Stripe's rate limit allows no more. */
const concurrency = 4;

type Report = {
  /** Called after each member. */
  readonly onProgress: (done: number) => void;
  /** Called with each result, as one line of text. */
  readonly onLine: (line: string) => void;
};

/**
 * Restores members from a copy of the table, and synchronizes each with Stripe. A failure does not stop the others.
 * Idempotent. @returns the number of members by result
 */
export async function restoreMembers(
  context: RestoreContext & Pick<BillingContext, "billing">,
  memberIds: Iterable<number>,
  { onProgress, onLine }: Report,
) {
  const counts = { restored: 0, equal: 0, erased: 0, not_in_copy: 0, failed: 0 };
  let done = 0;
  await inParallel(memberIds, concurrency, async (id) => {
    try {
      const result = await restore(context, id);
      counts[result.outcome]++;
      for (const line of linesOf(result)) onLine(`member ${id}: ${line}`);
      if (!context.isDryRun) await synchronize(context, result);
    } catch (error) {
      counts.failed++;
      onLine(`member ${id}: failed: ${lineOf(error)}`);
    }
    onProgress(++done);
  });
  return counts;
}

async function synchronize(
  { table, billing }: RestoreContext & Pick<BillingContext, "billing">,
  result: RestoreOutcome,
) {
  if (!("stripe_customer_id" in result) || result.stripe_customer_id === null) return;
  const link = await findLink(table, result.stripe_customer_id);
  if (!link) throw new Error(`Nothing leads from ${result.stripe_customer_id} to the member`);
  await syncMember({ table, billing, now: table.runtime.now() }, link);
}

function linesOf(result: RestoreOutcome): string[] {
  if (!("differences" in result)) return [result.outcome === "erased" ? "erased, left alone" : "not in the copy"];
  return [
    ...result.differences.map(({ name, is, becomes }) => `${name}: ${textOf(is)} → ${textOf(becomes)}`),
    ...result.kept.map((name) => `${name}: kept, edited since the copy`),
  ];
}

const textOf = (value: unknown): string => (value === undefined ? "missing" : JSON.stringify(value));
