import type { Outside } from "#lib/person/outside.ts";

/** The effects of erasures outside the table and Stripe, in memory. */
export function outsideOf(through: <T>(call: () => Promise<T>) => Promise<T>) {
  /** The users whose ids were written to the bucket of erasures. */
  const recorded = new Set<number>();
  /** The `sub` of each account that was deleted. */
  const deletedAccounts = new Set<string>();
  const outside: Outside = {
    record: (userId) => through(async () => void recorded.add(userId)),
    accountOf: ({ sub }) => through(async () => sub),
    addressOf: () => through(async () => undefined),
    deleteAccount: (sub) => through(async () => void deletedAccounts.add(sub)),
  };
  return { outside, recorded, deletedAccounts };
}
