/**
 * The form of a text for search and sorting: without case, accents or extra spaces (`docs/api.md`, section 1, "Folding").
 * `ß` becomes `ss`, `İ` becomes `i`, and `ς` becomes `σ`, because a query may end within a word.
 */
export const fold = (text: string): string => foldWithFinalSigma(text).replaceAll("ς", "σ");

/** The form that earlier versions stored in search items. */
export function foldWithFinalSigma(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toUpperCase()
    .toLowerCase()
    .normalize("NFKC")
    .replace(/\s+/g, " ")
    .trim();
}
