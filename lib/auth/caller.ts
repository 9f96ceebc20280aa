/** The caller according to the token. */
export type Caller = {
  /** The user's id. 0 for a person without a profile, who owns nothing yet. */
  readonly id: number;
  readonly groups: readonly string[];
  readonly sub: string;
  readonly username: string;
  /** Time of the sign-in, in seconds since 1970. */
  readonly authTime?: number | undefined;
};
