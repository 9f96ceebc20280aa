import type { Route } from "./route.ts";

/** The properties of a route that determine its time limit. */
export type Limited = Pick<Route, "billing">;

/** Time limit of a route's function, in seconds. Calls to Stripe take longer. */
export const timeLimitOf = ({ billing }: Limited): number => (billing ? 25 : 10);

/** Time limits of triggers in seconds, by their files in `functions/triggers`. */
export const triggerTimeLimits = {
  canary: 30,
  "compact-directory": 300,
  deliver: 60,
  events: 60,
  "export-accounts": 600,
  "post-confirmation": 10,
  "pre-token-generation": 10,
  projections: 60,
  reconcile: 300,
} as const;

/**
 * Time for which CloudFront may repeat a response to a request without a token, in seconds. Members of a large community
 * open it at the same moment.
 */
export const sharedSeconds = 5;

export type Trigger = keyof typeof triggerTimeLimits;
