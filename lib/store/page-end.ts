/** What a page holds at most, in bytes of JSON: a function can answer 6 MB. */
const maxBytes = 4 * 1024 * 1024;

/**
 * Where a page of these records ends: after `per` of them, or sooner where they take more than about 4 MB. At least one
 * is in it, and at least one comes after it; undefined where all of them fit.
 */
export function pageEnd(records: readonly object[], per: number): number | undefined {
  let bytes = 0;
  const end = records.findIndex((record, n) => {
    bytes += Buffer.byteLength(JSON.stringify(record));
    return n === per || (n > 0 && bytes > maxBytes);
  });
  return end === -1 ? undefined : end;
}
