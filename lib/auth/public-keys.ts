import { WaitPeriodNotYetEndedJwkError } from "aws-jwt-verify/error";
import type { Fetcher } from "aws-jwt-verify/https";
import { type PenaltyBox, SimpleJwksCache } from "aws-jwt-verify/jwk";
import type { Runtime } from "../runtime.ts";

/** Time between fetches after a failure or an unknown key, in milliseconds: the longest delay for rotated keys. */
const waitMs = 10_000;
/**
 * Time between fetches while no keys are known, in milliseconds. Shorter, because no token can be verified until then.
 */
const waitWithoutKeysMs = 1000;

type Outside = Pick<Runtime, "now"> & { readonly fetcher: Fetcher };

/** The public keys of the user pool. `SimplePenaltyBox` of aws-jwt-verify would not limit fetches that fail. */
export function publicKeys({ now, fetcher }: Outside) {
  let hasKeys = false;
  let waitUntil = 0;
  const limit = () => {
    waitUntil = now().getTime() + (hasKeys ? waitMs : waitWithoutKeysMs);
  };
  const penaltyBox: PenaltyBox = {
    async wait() {
      if (now().getTime() < waitUntil) throw new WaitPeriodNotYetEndedJwkError("The public keys were just fetched");
    },
    registerFailedAttempt: limit,
    registerSuccessfulAttempt: () => {},
  };
  const limited: Fetcher = {
    async fetch(...request) {
      try {
        const keys = await fetcher.fetch(...request);
        hasKeys = true;
        return keys;
      } catch (error) {
        limit();
        throw error;
      }
    },
  };
  return { cache: new SimpleJwksCache({ fetcher: limited, penaltyBox }), areKnown: () => hasKeys };
}
