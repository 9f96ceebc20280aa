// Character classes are strings, because a regular expression with Unicode properties adds 1 ms to a cold start. Each is
// compiled only where it is used.

/** Control characters, and direction overrides, embeddings and isolates, which can make a text look like another one. */
const misleading = String.raw`[\p{Cc}\u202A-\u202E\u2066-\u2069]`;
/** Invisible characters. */
const blank = String.raw`[\p{White_Space}\p{Cf}\p{Mn}\u115F\u1160\u2800\u3164]`;

/** Whether a text has no character that misleads readers; `isLong` allows line breaks. */
export const isPlain = (text: string, { isLong = false } = {}): boolean =>
  !new RegExp(misleading, "u").test(isLong ? text.replace(/[\n\r]/g, "") : text);

/** Whether a text has no visible characters. */
export const looksBlank = (text: string): boolean => new RegExp(`^${blank}*$`, "u").test(text);

/**
 * Cleans a name whose source cannot be asked for a correction: normalizes to NFC, removes misleading characters, and
 * cuts to `most` characters. Empty if no visible character remains.
 */
export function shownName(text: string, most: number): string {
  const plain = text.toWellFormed().normalize("NFC").replace(new RegExp(misleading, "gu"), "").trim();
  const cut = Array.from(plain).slice(0, most).join("").trimEnd();
  return looksBlank(cut) ? "" : cut;
}
