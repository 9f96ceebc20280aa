/** The longest address that mail can be delivered to (RFC 5321, section 4.5.3.1.3). */
export const maxEmailCharacters = 254;

/**
 * An email address as it is compared: without the case of ASCII letters, and of no others. `toLowerCase` would also take
 * the Kelvin sign for a `k`, and so one person's address for another's.
 */
export const comparableEmail = (email: string): string =>
  email.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());

/** Whether two texts are the same email address. */
export const isSameEmail = (one: string, other: string): boolean => comparableEmail(one) === comparableEmail(other);
