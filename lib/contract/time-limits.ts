import type { Route } from "./route.ts";

/** What the time limit of a route depends on. */
export type Limited = Pick<Route, "billing">;

/** How many seconds the function of a route may take. Calls to Stripe take longer. */
export const timeLimitOf = ({ billing }: Limited): number => (billing ? 25 : 10);

/** How many seconds the functions that AWS calls may take, by their files in `functions/triggers`. */
export const triggerTimeLimits = {
  "compact-directory": 300,
  deliver: 60,
  events: 60,
  "post-confirmation": 10,
  "pre-token-generation": 10,
  projections: 60,
  reconcile: 300,
} as const;

export type Trigger = keyof typeof triggerTimeLimits;
