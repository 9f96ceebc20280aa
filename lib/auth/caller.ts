/** The person who makes a request, according to the token. */
export type Caller = {
  /** The user's id. 0 for a person without a profile, who owns nothing yet. */
  readonly id: number;
  readonly groups: readonly string[];
  readonly sub: string;
  readonly username: string;
  /** Time of the sign-in, in seconds since 1970. */
  readonly authTime?: number | undefined;
};

/** The API key that a request presents. It acts for a community, and is no person: it has no user id and no groups. */
export type ApiKeyCaller = {
  readonly apiKeyId: number;
  /** Hash of the presented key. A request is refused unless the stored key has the same hash. */
  readonly secretHash: string;
  /**
   * Stands for the key where the `sub` stands for a person. Contains the hash, so that nobody without the secret can use up
   * the rate limit of a key.
   */
  readonly sub: string;
};

/** Who makes a request. */
export type AnyCaller = Caller | ApiKeyCaller;

export const isKeyCaller = (caller: AnyCaller): caller is ApiKeyCaller => "apiKeyId" in caller;
