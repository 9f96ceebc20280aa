/**
 * Maximum difference between the clock of a function and that of another one or of Stripe, in milliseconds. Twice the largest difference
 * expected.
 */
export const clockMargin = 10_000;
