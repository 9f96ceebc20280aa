import type { Endpoint, Mount } from "#lib/http/handler.ts";
import { admin } from "../api.ts";
import { type Call, invoke } from "../direct.ts";

/** Calls routes in this process. Default: as an admin. */
export function callsOn(platform: () => Mount) {
  const answer = (endpoint: Endpoint, call: Call, on: Mount = platform()) =>
    invoke(endpoint, on, { as: admin, ...call });
  return {
    /** The whole response of a route. */
    answer,
    /** The response of a route without its headers. */
    async call(endpoint: Endpoint, call: Call, on?: Mount) {
      const { status, body } = await answer(endpoint, call, on);
      return { status, body };
    },
  };
}

/** The parameters of a request about a member. */
export const forMember = ({ community_id, id }: { readonly community_id: number; readonly id: number }) => ({
  params: { community_id, id },
});

/** The headers of a request with an Idempotency-Key. */
export const withKey = (key: string) => ({ headers: { "idempotency-key": key } });
