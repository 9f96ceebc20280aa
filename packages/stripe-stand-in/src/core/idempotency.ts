import { createHash } from "node:crypto";
import type { Account } from "./account.ts";
import { ApiFailure, invalid } from "./failure.ts";
import type { StripeResponse } from "./http.ts";
import type { Replay } from "./state.ts";

/** The request that a key was used for. */
export type Use = { readonly key: string; readonly path: string; readonly fingerprint: string };

const lifetime = 24 * 3600;

/** @param form the fields in any order, which does not affect the fingerprint */
export function useOf(key: string, path: string, form: Iterable<readonly [string, string]>): Use {
  if (key.length > 255) throw invalid("Idempotency keys can be at most 255 characters long.");
  const parameters = [...form].map((entry) => JSON.stringify(entry)).toSorted((a, b) => (a < b ? -1 : 1));
  return { key, path, fingerprint: createHash("sha256").update(parameters.join()).digest("base64") };
}

/**
 * The response that was stored for a key in the last 24 hours.
 *
 * @throws ApiFailure if the key was used for another request
 */
export function replayOf(account: Account, { key, path, fingerprint }: Use): Replay | undefined {
  const replay = account.get("replay", key);
  if (!replay || replay.expires <= account.now()) return undefined;
  const other = `Try using a key other than '${key}' if you meant to execute a different request.`;
  if (replay.path !== path) throw reused(`for the same endpoint they were first used for ('${replay.path}'). ${other}`);
  if (replay.fingerprint !== fingerprint) throw reused(`with the same parameters they were first used with. ${other}`);
  return replay;
}

const reused = (rest: string) =>
  new ApiFailure(400, "idempotency_error", `Keys for idempotent requests can only be used ${rest}`);

export const keyInUse = (key: string): ApiFailure =>
  invalid(
    `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
    { code: "idempotency_key_in_use" },
    409,
  );

/** Stores the response of a key. Must be called in the transaction of the operation, so that both are stored or neither. */
export function remember(account: Account, { key, path, fingerprint }: Use, response: StripeResponse): void {
  const { status, body } = response;
  account.put("replay", { id: key, path, fingerprint, status, body, expires: account.now() + lifetime });
}
