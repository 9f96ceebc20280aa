/** A set of rows, with one bit per row. */
export type RowSet = Uint32Array;

export const emptySet = (size: number): RowSet => new Uint32Array(Math.ceil(size / 32));

export const has = (rows: RowSet, row: number): boolean => (((rows[row >>> 5] ?? 0) >>> (row & 31)) & 1) === 1;

export function add(rows: RowSet, row: number): void {
  rows[row >>> 5] = (rows[row >>> 5] ?? 0) | (1 << (row & 31));
}

/** Removes the rows of another set. Returns the number of remaining rows. */
export function subtract(rows: RowSet, others: RowSet): number {
  let left = 0;
  for (let n = 0; n < rows.length; n++) left += countOnes((rows[n] = (rows[n] ?? 0) & ~(others[n] ?? 0)));
  return left;
}

/** The rows in ascending order without the first `skip`. Skipping takes one step per 32 rows. */
export function* rowsIn(rows: RowSet, skip: number): Generator<number, void, undefined> {
  let left = skip;
  for (const [n, word] of rows.entries()) {
    const count = countOnes(word);
    if (count <= left) left -= count;
    else
      for (let bits = word; bits !== 0; bits &= bits - 1) {
        if (left > 0) left--;
        else yield n * 32 + 31 - Math.clz32(bits & -bits);
      }
  }
}

function countOnes(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
