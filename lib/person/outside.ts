import { env } from "../env.ts";
import { openPool } from "../pool.ts";
import { unavailable } from "../store/failure.ts";
import { connectBucket } from "../store/objects.ts";

/** What an erasure does outside of the table and Stripe. Each call can be repeated. */
export type Outside = {
  /** Writes the user's id to where a restored table does not lose it. */
  readonly record: (userId: number, erasedAt: string) => Promise<void>;
  /** Deletes the account of the user pool. */
  readonly deleteAccount: (sub: string) => Promise<void>;
};

/** How the names of the objects start, one for each erasure. */
export const erasuresPrefix = "erasures/";

/** The bucket of erasures and the user pool, connected with the first call. Calls throw Problem `unavailable`. */
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
