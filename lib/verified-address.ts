import type { Caller } from "./auth/caller.ts";
import { env } from "./env.ts";
import { openPool } from "./pool.ts";
import { unavailable } from "./store/failure.ts";

/**
 * The verified email address of a caller, as the user pool has it now. Undefined if there is none.
 *
 * @throws Problem `unavailable` if the pool cannot be reached
 */
export type AddressOf = (caller: Pick<Caller, "sub">) => Promise<string | undefined>;

let pool: ReturnType<typeof openPool> | undefined;

/** Reads an address from the user pool of the stack. Connects at the first call. */
export const addressOf: AddressOf = ({ sub }) =>
  (pool ??= openPool()).verifiedEmail(env("USER_POOL_ID"), sub).catch((error: unknown) => {
    throw unavailable(error);
  });
