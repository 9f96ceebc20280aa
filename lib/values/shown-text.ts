// Classes of characters as texts: a regular expression with properties of Unicode costs a cold start 1 ms, so each is made
// where it is needed.

/** Control characters, and direction overrides, embeddings and isolates, which make a text look like another. */
const misleading = String.raw`[\p{Cc}\u202A-\u202E\u2066-\u2069]`;
/** Characters that show nothing. */
const blank = String.raw`[\p{White_Space}\p{Cf}\p{Mn}\u115F\u1160\u2800\u3164]`;

/** Whether a text has no character that misleads readers; `isLong` allows line breaks. */
export const isPlain = (text: string, { isLong = false } = {}): boolean =>
  !new RegExp(misleading, "u").test(isLong ? text.replace(/[\n\r]/g, "") : text);

/** Whether there is nothing to see in a text. */
export const looksBlank = (text: string): boolean => new RegExp(`^${blank}*$`, "u").test(text);

/**
 * A name from outside, for which nobody can be told that it is wrong: NFC, without what misleads readers, and no longer
 * than `most` characters. Empty if there is nothing to see in it.
 */
export function shownName(text: string, most: number): string {
  const plain = text.toWellFormed().normalize("NFC").replace(new RegExp(misleading, "gu"), "").trim();
  const cut = Array.from(plain).slice(0, most).join("").trimEnd();
  return looksBlank(cut) ? "" : cut;
}
