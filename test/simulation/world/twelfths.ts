/** A sum of monthly amounts in twelfths of a cent: an exact integer. */
export const twelfthsOf = (cents: number): number => Math.round(cents * 12);

/** A sum of monthly amounts as responses show it: rounded half up to the cent. */
export const shownCents = (cents: number): number => Math.floor((twelfthsOf(cents) + 6) / 12);
