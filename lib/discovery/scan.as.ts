/**
 * Marks the rows whose names contain a text. AssemblyScript, not TypeScript: `npm run scan` compiles it to scan.wasm.ts,
 * which names.ts loads.
 *
 * `String.indexOf` stops at every occurrence of the text's first character. This compares 16 positions at once with both
 * the first and the last character, which takes a third of the time where these are common letters.
 *
 * All parameters are in bytes. The names are between `from` and `to`, each followed by a line break. After `to`, 16 bytes
 * plus the length of the text must be readable. `ends` are the positions of the line breaks relative to `from`, 32 bits
 * each. The text is at `text`, has at least one byte, and contains no line break. `marks` has one bit per row.
 */
export function scan(from: u32, to: u32, ends: u32, text: u32, length: u32, marks: u32): void {
  const first = i8x16.splat(load<i8>(text));
  const last = i8x16.splat(load<i8>(text + length - 1));
  // After this position, the text no longer fits into a name.
  const stop = to - length + 1;
  let at = from;
  let row: u32 = 0;
  while (at < stop) {
    let hits = <u32>i8x16.bitmask(v128.and(i8x16.eq(first, v128.load(at)), i8x16.eq(last, v128.load(at + length - 1))));
    let next = at + 16;
    while (hits) {
      const hit = at + ctz(hits);
      hits &= hits - 1;
      let n: u32 = 1;
      while (n < length && load<u8>(hit + n) == load<u8>(text + n)) n++;
      if (n < length) continue;
      if (hit >= stop) return;
      while (load<u32>(ends + (row << 2)) < hit - from) row++;
      const word = marks + ((row >> 3) & ~3);
      store<u32>(word, load<u32>(word) | (1 << (row & 31)));
      // The row is marked. Continue with the next name.
      next = from + load<u32>(ends + (row << 2)) + 1;
      break;
    }
    at = next;
  }
}
