import type { Endpoint } from "#lib/http/handler.ts";
import type { Outside } from "#lib/person/outside.ts";
import { unavailable } from "#lib/store/failure.ts";
import { erasing as erasingMe } from "../../../functions/me/erase.ts";
import { erasing } from "../../../functions/users/erase.ts";
import type { UserPool } from "./user-pool.ts";

function throwUnavailable(error: unknown): never {
  throw unavailable(error);
}

export type Erasing = { readonly outside: Outside; readonly me: Endpoint; readonly anybody: Endpoint };

/**
 * The routes that erase people and delete their accounts from this pool. The record of an erasure is written without
 * delay.
 */
export function erasingIn(pool: UserPool): Erasing {
  const outside: Outside = {
    record: async () => {},
    accountOf: (person) => pool.accountOf(person).catch(throwUnavailable),
    addressOf: (sub) => pool.verifiedEmail(sub).catch(throwUnavailable),
    deleteAccount: (sub) => pool.deleteAccount(sub).catch(throwUnavailable),
  };
  return { outside, me: erasingMe(outside), anybody: erasing(outside) };
}
