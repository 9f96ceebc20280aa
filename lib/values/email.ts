/** Maximum length of an email address (RFC 5321, section 4.5.3.1.3). */
export const maxEmailCharacters = 254;

/**
 * An email address for comparison: ignores the case of ASCII letters only. `toLowerCase` would also turn the Kelvin sign into
 * a `k`, and so confuse the addresses of two people.
 */
export const comparableEmail = (email: string): string =>
  email.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());

/** Whether two texts are the same email address. */
export const isSameEmail = (a: string, b: string): boolean => comparableEmail(a) === comparableEmail(b);
