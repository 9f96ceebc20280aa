/**
 * Maximum clock skew between two functions, or between a function and Stripe, in milliseconds. Twice the largest
 * difference expected.
 */
export const clockMargin = 10_000;
