/** What a guard has read on its way, so that the handler need not read it again. */
export type Grant = {
  /** What the path is under, such as the community of its members. */
  readonly parent?: unknown;
  /** The one record that the path names; null where there is none, which is 404 once access is checked. */
  readonly record?: unknown;
  /** The record as the API shows it, for If-Match. */
  readonly shown?: unknown;
};

/**
 * Lets in whoever the route's access lets in. Other guards read the data that a right depends on, in one round trip,
 * before a body is read and again before a stored answer is replayed; they throw `not_found` for an unknown parent,
 * then `forbidden`.
 */
export const everyone = async (): Promise<Grant> => ({});
