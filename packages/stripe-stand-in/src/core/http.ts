/** A request to the stand-in, as plain values. */
export type StripeRequest = {
  readonly method: string;
  /** Path with its query string: `/v1/customers?limit=3`. */
  readonly path: string;
  /** Values by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** Empty without a body. */
  readonly body: string;
};

export type StripeResponse = {
  readonly status: number;
  /** Values by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};
