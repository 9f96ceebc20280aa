import { env } from "../env.ts";
import { openPool } from "../pool.ts";
import { unavailable } from "../store/failure.ts";
import { connectBucket } from "../store/objects.ts";

/** The effects of an erasure outside the table and Stripe. All calls are idempotent. */
export type Outside = {
  /** Stores the user id outside the table, so that a restore of the table does not lose it. */
  readonly record: (userId: number, erasedAt: string) => Promise<void>;
  /** Deletes the account of the user pool. */
  readonly deleteAccount: (sub: string) => Promise<void>;
};

/** Key prefix of the objects. There is one object per erasure. */
export const erasuresPrefix = "erasures/";

/** Connects to the bucket of erasures and the user pool at the first call. Calls throw Problem `unavailable`. */
export function connectOutside(): Outside {
  const bucket = connectBucket("ERASURES_BUCKET");
  let pool: ReturnType<typeof openPool> | undefined;
  return {
    record: (user_id, erased_at) =>
      bucket.put(`${erasuresPrefix}${user_id}`, Buffer.from(JSON.stringify({ user_id, erased_at }))),
    async deleteAccount(sub) {
      pool ??= openPool();
      await pool.deleteAccount(env("USER_POOL_ID"), sub).catch((error: unknown) => {
        throw unavailable(error);
      });
    },
  };
}
