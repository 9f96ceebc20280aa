/** Who is calling, as far as the token says. */
export type Caller = {
  /** The user's id; 0 for a person who has no profile yet, and so no rights of their own. */
  readonly id: number;
  readonly groups: readonly string[];
  readonly sub: string;
  readonly username: string;
  /** When they signed in, in seconds since 1970. */
  readonly authTime?: number | undefined;
};
