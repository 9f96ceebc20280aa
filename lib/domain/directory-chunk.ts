import type { Columns } from "./directory-columns.ts";

/** How large columns are altogether, so that room for them is made once. */
export type Size = { readonly rows: number; readonly recordBytes: number };

/** Some rows of columns as bytes: four lengths, then column after column, those that need alignment first. */
export function chunkOf(columns: Columns, from: number, to: number): Uint8Array {
  const startOf = (ends: Uint32Array, gap: number) => (from === 0 ? 0 : (ends[from - 1] ?? 0) + gap);
  const endOf = (ends: Uint32Array) => ends[to - 1] ?? 0;
  const { nameEnds, recordEnds } = columns;
  const [nameStart, recordStart] = [startOf(nameEnds, 1), startOf(recordEnds, 0)];
  const names = Buffer.from(columns.names.slice(nameStart, endOf(nameEnds) + 1), "latin1");
  const records = columns.records.subarray(recordStart, endOf(recordEnds));
  return Buffer.concat(
    [
      Uint32Array.of(to - from, names.length, records.length, 0),
      columns.ids.subarray(from, to),
      columns.changed.subarray(from, to),
      columns.scores.subarray(from, to),
      columns.counts.subarray(from, to),
      columns.joiners.subarray(from, to),
      nameEnds.subarray(from, to).map((end) => end - nameStart),
      recordEnds.subarray(from, to).map((end) => end - recordStart),
      columns.pinned.subarray(from, to),
      columns.uuids.subarray(from * 16, to * 16),
      names,
      records,
    ].map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength)),
  );
}

/** Columns that are put together from chunks in their order. Throws a `RangeError` for a chunk that does not fit. */
export function columnsFrom({ rows, recordBytes }: Size) {
  const columns = {
    ids: new Float64Array(rows),
    changed: new Float64Array(rows),
    scores: new Float64Array(rows),
    counts: new Uint32Array(rows),
    joiners: new Uint32Array(rows),
    nameEnds: new Uint32Array(rows),
    recordEnds: new Uint32Array(rows),
    pinned: new Uint8Array(rows),
    uuids: new Uint8Array(rows * 16),
    records: new Uint8Array(recordBytes),
  };
  let names = "";
  let row = 0;
  let recordEnd = 0;

  return {
    append(chunk: Uint8Array): void {
      const [count = 0, nameLength = 0, recordLength = 0] = new Uint32Array(copy(chunk, 0, 12));
      let at = 16;
      const next = (length: number) => copy(chunk, at, (at += length));
      columns.ids.set(new Float64Array(next(count * 8)), row);
      columns.changed.set(new Float64Array(next(count * 8)), row);
      columns.scores.set(new Float64Array(next(count * 8)), row);
      columns.counts.set(new Uint32Array(next(count * 4)), row);
      columns.joiners.set(new Uint32Array(next(count * 4)), row);
      columns.nameEnds.set(
        new Uint32Array(next(count * 4)).map((end) => end + names.length),
        row,
      );
      columns.recordEnds.set(
        new Uint32Array(next(count * 4)).map((end) => end + recordEnd),
        row,
      );
      columns.pinned.set(new Uint8Array(next(count)), row);
      columns.uuids.set(new Uint8Array(next(count * 16)), row * 16);
      names += Buffer.from(next(nameLength)).toString("latin1");
      columns.records.set(new Uint8Array(next(recordLength)), recordEnd);
      row += count;
      recordEnd += recordLength;
    },
    /** Undefined where rows are missing. */
    end(): Columns | undefined {
      return row === rows && recordEnd === recordBytes ? { ...columns, size: rows, names } : undefined;
    },
  };
}

/** Bytes of their own, and so aligned. */
function copy(chunk: Uint8Array, start: number, end: number): ArrayBuffer {
  if (end > chunk.length) throw new RangeError("A chunk of the directory is cut off");
  return new Uint8Array(chunk.subarray(start, end)).buffer;
}
