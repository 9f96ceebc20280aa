import type { Columns } from "./columns.ts";
import { roomForNames } from "./names.ts";

/** How large columns are altogether, so that room for them is made once. */
export type Size = { readonly rows: number; readonly nameBytes: number; readonly recordBytes: number };

/** Some rows of columns as bytes: three lengths, then column after column, those that need alignment first. */
export function chunkOf(columns: Columns, from: number, to: number): Uint8Array {
  const startOf = (ends: Uint32Array, gap: number) => (from === 0 ? 0 : (ends[from - 1] ?? 0) + gap);
  const endOf = (ends: Uint32Array) => ends[to - 1] ?? 0;
  const { names, recordEnds } = columns;
  const [nameStart, recordStart] = [startOf(names.ends, 1), startOf(recordEnds, 0)];
  const named = names.bytes.subarray(nameStart, endOf(names.ends) + 1);
  const records = columns.records.subarray(recordStart, endOf(recordEnds));
  return Buffer.concat(
    [
      Uint32Array.of(to - from, named.length, records.length, 0),
      columns.ids.subarray(from, to),
      columns.changed.subarray(from, to),
      columns.scores.subarray(from, to),
      columns.counts.subarray(from, to),
      columns.joiners.subarray(from, to),
      names.ends.subarray(from, to).map((end) => end - nameStart),
      recordEnds.subarray(from, to).map((end) => end - recordStart),
      columns.pinned.subarray(from, to),
      columns.uuids.subarray(from * 16, to * 16),
      named,
      records,
    ].map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength)),
  );
}

/** Columns that are put together from chunks in their order. Throws a `RangeError` for a chunk that does not fit. */
export function columnsFrom({ rows, nameBytes, recordBytes }: Size) {
  const columns: Columns = {
    size: rows,
    ids: new Float64Array(rows),
    changed: new Float64Array(rows),
    scores: new Float64Array(rows),
    counts: new Uint32Array(rows),
    joiners: new Uint32Array(rows),
    names: roomForNames(rows, nameBytes),
    recordEnds: new Uint32Array(rows),
    pinned: new Uint8Array(rows),
    uuids: new Uint8Array(rows * 16),
    records: new Uint8Array(recordBytes),
  };
  let row = 0;
  let nameEnd = 0;
  let recordEnd = 0;

  return {
    append(chunk: Uint8Array): void {
      const { buffer, byteOffset } = aligned(chunk);
      const [count = 0, nameLength = 0, recordLength = 0] = new Uint32Array(buffer, byteOffset, 4);
      let at = byteOffset + 16;
      const next = (bytes: number) => (at += bytes) - bytes;
      columns.ids.set(new Float64Array(buffer, next(count * 8), count), row);
      columns.changed.set(new Float64Array(buffer, next(count * 8), count), row);
      columns.scores.set(new Float64Array(buffer, next(count * 8), count), row);
      columns.counts.set(new Uint32Array(buffer, next(count * 4), count), row);
      columns.joiners.set(new Uint32Array(buffer, next(count * 4), count), row);
      continued(columns.names.ends, row, new Uint32Array(buffer, next(count * 4), count), nameEnd);
      continued(columns.recordEnds, row, new Uint32Array(buffer, next(count * 4), count), recordEnd);
      columns.pinned.set(new Uint8Array(buffer, next(count), count), row);
      columns.uuids.set(new Uint8Array(buffer, next(count * 16), count * 16), row * 16);
      columns.names.bytes.set(new Uint8Array(buffer, next(nameLength), nameLength), nameEnd);
      columns.records.set(new Uint8Array(buffer, next(recordLength), recordLength), recordEnd);
      row += count;
      nameEnd += nameLength;
      recordEnd += recordLength;
    },
    /** Undefined where rows are missing. */
    end(): Columns | undefined {
      return row === rows && nameEnd === nameBytes && recordEnd === recordBytes ? columns : undefined;
    },
  };
}

/** Where columns of numbers may be read without a copy. */
const aligned = (chunk: Uint8Array): Uint8Array => (chunk.byteOffset % 8 === 0 ? chunk : new Uint8Array(chunk));

/** Ends that go on from where those before them ended. */
function continued(all: Uint32Array, row: number, ends: Uint32Array, start: number): void {
  for (let n = 0; n < ends.length; n++) all[row + n] = (ends[n] ?? 0) + start;
}
