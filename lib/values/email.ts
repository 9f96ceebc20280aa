import * as v from "valibot";
import { rule } from "./scalars.ts";

/** Maximum length of an email address (RFC 5321, section 4.5.3.1.3). */
export const maxEmailCharacters = 254;

/** Parts of the local part of an address: `dot-atom` of RFC 5322, section 3.2.3, so without quotes, spaces and commas. */
const atom = String.raw`[\w!#$%&'*+/=?^\`{|}~-]+`;
/** A part of a domain. Those of other scripts are in ASCII: `xn--p1ai`. */
const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
const emailPattern = new RegExp(`^${atom}(?:\\.${atom})*@(?:${label}\\.)+(?![0-9]+$)${label}$`, "i");

/** The checks of an email address. valibot's own check refuses some that exist, such as with an apostrophe. */
export const emailChecks = [
  rule("invalid_format", (email: string) => emailPattern.test(email), "must be an email address"),
  v.metadata<string, { readonly format: "email" }>({ format: "email" }),
] as const;

/**
 * An email address for comparison: ignores the case of ASCII letters only. `toLowerCase` would also turn the Kelvin sign into
 * a `k`, and so confuse the addresses of two people.
 */
export const comparableEmail = (email: string): string =>
  email.replace(/[A-Z]+/g, (capitals) => capitals.toLowerCase());

/** Whether two texts are the same email address. */
export const isSameEmail = (a: string, b: string): boolean => comparableEmail(a) === comparableEmail(b);
