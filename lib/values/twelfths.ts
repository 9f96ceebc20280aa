/**
 * The exact sum of monthly amounts, which are multiples of a twelfth of a cent: a yearly payment counts as a twelfth a
 * month. Removes the error of floating-point numbers, and the sign of a 0, so that equal sums compare as equal.
 */
export const toTwelfth = (cents: number): number => (Math.round(cents * 12) || 0) / 12;
