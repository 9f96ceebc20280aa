import { env } from "../env.ts";
import { openPool, type Pool } from "../pool.ts";
import { unavailable } from "../store/failure.ts";
import { connectBucket } from "../store/objects.ts";
import type { User } from "../store/users.ts";

/** The effects of an erasure outside the table and Stripe. All calls are idempotent. */
export type Outside = {
  /** Stores the user id outside the table, so that a restore of the table does not lose it. */
  readonly record: (userId: number, erasedAt: string) => Promise<void>;
  /**
   * The `sub` of a person's account in the user pool: that of their profile, or that of the account with their address if they
   * have not signed in, or not since the pool was replaced.
   */
  readonly accountOf: (person: Pick<User, "sub" | "email">) => Promise<string | null>;
  /** The verified email address of an account of the user pool, which may be another than that of the profile. */
  readonly addressOf: (sub: string) => Promise<string | undefined>;
  /** Deletes the account of the user pool. */
  readonly deleteAccount: (sub: string) => Promise<void>;
};

/** Key prefix of the objects. There is one object per erasure. */
export const erasuresPrefix = "erasures/";

/** Connects to the bucket of erasures and the user pool at the first call. Calls throw Problem `unavailable`. */
export function connectOutside(): Outside {
  const bucket = connectBucket("ERASURES_BUCKET");
  let opened: Pool | undefined;
  const inPool = <T>(ask: (pool: Pool, poolId: string) => Promise<T>): Promise<T> =>
    ask((opened ??= openPool()), env("USER_POOL_ID")).catch((error: unknown) => {
      throw unavailable(error);
    });
  return {
    record: (user_id, erased_at) =>
      bucket.put(`${erasuresPrefix}${user_id}`, Buffer.from(JSON.stringify({ user_id, erased_at }))),
    accountOf: ({ sub, email }) =>
      inPool(async (pool, poolId) => {
        if (email === "" || (sub !== null && !(await pool.isGone(poolId, sub)))) return sub;
        return (await pool.subOf(poolId, email)) ?? sub;
      }),
    addressOf: (sub) => inPool((pool, poolId) => pool.verifiedEmail(poolId, sub)),
    deleteAccount: (sub) => inPool((pool, poolId) => pool.deleteAccount(poolId, sub)),
  };
}
