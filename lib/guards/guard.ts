import type { RightBasis, TeamPlace } from "../auth/policy.ts";

/** The data that a guard has read, so that the handler need not read them again. */
export type Grant = RightBasis & {
  /** The parent in the path, such as the community of a member. */
  readonly parent?: unknown;
  /** The record in the path. Null if it does not exist: the response is then 404, after the access check. */
  readonly record?: unknown;
  /** Description of the record for the 404 response. Only for a record whose id is not in the path. */
  readonly recordName?: string;
  /** The record as the API returns it, for If-Match. */
  readonly shown?: unknown;
  /** The record as the API returns it without a token, if that differs. Those who have read it so edit it with If-Match too. */
  readonly shownToPublic?: unknown;
  /**
   * Whether the record belongs to a person who was erased. Writes of such a record are refused, and stored responses
   * about it are not replayed.
   */
  readonly isErased?: boolean;
  /**
   * The member whose subscription or payments the request may change. Operations of earlier attempts are stored under
   * this member.
   */
  readonly memberId?: number | undefined;
};

/** Reads the caller's place in the team of a community. Reads nothing if the route or the caller does not need it. */
export type PlaceIn = (communityId: number) => Promise<TeamPlace | undefined>;

/**
 * The guard of a route whose access does not depend on data. Other guards read the record and the data that access
 * depends on, before the body is read. They throw `not_found` for an unknown parent. A guard does not decide access:
 * the `access` of the route does.
 */
export const everyone = async (): Promise<Grant> => ({});
