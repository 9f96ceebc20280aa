import type { Caller } from "./auth/caller.ts";
import { type Claims, cognito } from "./auth/verify.ts";
import { isSet } from "./env.ts";
import { machine, type Runtime } from "./runtime.ts";
import { keys } from "./store/keys.ts";
import { connect, type OpenTable, type Reader } from "./store/table.ts";
import * as users from "./store/users.ts";

/** The dependencies of handlers. Tests replace them. */
export type Platform = Runtime & {
  readonly table: OpenTable;
  /**
   * The caller of an access token. If the token has no user id, finds the profile by `sub`.
   *
   * @throws Problem `invalid_token`, `expired_token`, `unavailable`
   */
  readonly identify: (token: string, table: Reader | undefined) => Promise<Caller>;
};

const open = once(() => connect());
const verify = once(cognito);

export const aws: Platform = {
  ...machine,
  table: (signal) => open()(signal),
  identify: async (token, table) => callerOf(await verify()(token), table),
};

/**
 * The caller of a token, by its claims. Without a user id, finds the profile by `sub`.
 *
 * @throws Problem `invalid_token` if the person was erased
 */
export const callerOf = async ({ userId, ...person }: Claims, table: Reader | undefined): Promise<Caller> => ({
  ...person,
  id: userId ?? (table && (await users.idOf(table, person.sub))) ?? 0,
});

/**
 * Connects to DynamoDB and fetches the public keys during initialization, which has the full CPU, unlike the first request.
 * Failures are ignored here, because the request encounters and reports them.
 */
if (isSet("AWS_LAMBDA_FUNCTION_NAME")) {
  const table = isSet("TABLE_NAME") ? open()(machine.deadline(800)) : undefined;
  await Promise.allSettled([
    // The first Get and the first Query are slow.
    table?.get(keys.user(0)),
    table?.query({ ...keys.user(0), limit: 1 }),
    isSet("USER_POOL_ID") && verify().hydrate(),
  ]);
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
