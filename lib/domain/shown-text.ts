/** Direction overrides, embeddings and isolates: they make a text look like another. */
const bidi = /[\u202A-\u202E\u2066-\u2069]/;
const control = /\p{Cc}/u;
const lineBreak = /[\n\r]/g;
/** Characters that show nothing. */
const blank = /[\p{White_Space}\p{Cf}\p{Mn}\u115F\u1160\u2800\u3164]/gu;

/** Whether a text has no character that misleads readers; `isLong` allows line breaks. */
export const isPlain = (text: string, { isLong = false } = {}): boolean =>
  !bidi.test(text) && !control.test(isLong ? text.replace(lineBreak, "") : text);

/** Whether there is nothing to see in a text. */
export const looksBlank = (text: string): boolean => text.replace(blank, "") === "";

/**
 * A name from outside, for which nobody can be told that it is wrong: NFC, without what misleads readers, and no longer
 * than `most` characters. Empty if there is nothing to see in it.
 */
export function shownName(text: string, most: number): string {
  const plain = text
    .toWellFormed()
    .normalize("NFC")
    .replace(new RegExp(`${control.source}|${bidi.source}`, "gu"), "")
    .trim();
  const cut = Array.from(plain).slice(0, most).join("").trimEnd();
  return looksBlank(cut) ? "" : cut;
}
