/**
 * The form of a text for search and sorting: without case, accents or extra spaces (`docs/api.md`, section 1, "Folding").
 * `ß` becomes `ss`, `İ` becomes `i`.
 */
export function fold(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toUpperCase()
    .toLowerCase()
    .normalize("NFKC")
    .replace(/\s+/g, " ")
    .trim();
}
