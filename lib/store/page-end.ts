/** Maximum size of a page in bytes of JSON. A Lambda response may have 6 MB. */
const maxBytes = 4 * 1024 * 1024;

/**
 * The number of records on a page: `per`, or fewer if they exceed 4 MB, but at least one. Undefined if all records fit on
 * the page.
 */
export function pageEnd(records: readonly object[], per: number): number | undefined {
  let bytes = 0;
  const end = records.findIndex((record, n) => {
    bytes += Buffer.byteLength(JSON.stringify(record));
    return n === per || (n > 0 && bytes > maxBytes);
  });
  return end === -1 ? undefined : end;
}
