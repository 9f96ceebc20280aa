import type { Owned } from "../auth/policy.ts";

/** What a guard has read on its way, so that the handler need not read it again. */
export type Grant = {
  /** What the path is under, such as the community of its members. */
  readonly parent?: unknown;
  /** The one record that the path names; null where there is none, which is 404 once access is checked. */
  readonly record?: unknown;
  /** Names the record in the 404 response, if the path does not. */
  readonly recordName?: string;
  /** The record as the API shows it, for If-Match. */
  readonly shown?: unknown;
  /** The record is of a person who was erased: it is not changed, and no stored response about it is given. */
  readonly isErased?: boolean;
  /** The member whose subscription or money the request may change. An earlier attempt's operation is among theirs. */
  readonly memberId?: number | undefined;
  /** What the caller must own, on a route of access `owner`. */
  readonly owned?: Owned;
};

/**
 * The guard of a route whose access depends on no data. The others read what a right depends on, with the record, in one
 * round trip: before a body is read, and again before a stored response is replayed. They throw `not_found` for an unknown
 * parent; who may do what with it is said by the route's `access` alone.
 */
export const everyone = async (): Promise<Grant> => ({});
