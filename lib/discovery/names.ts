import type { RowSet } from "./row-set.ts";
import { scanWasm } from "./scan.wasm.ts";

/** The names of all rows, as `searchable` makes them, in the memory of the WebAssembly scan that searches them. */
export type Names = {
  /** All names, each followed by a line break, which no name contains. */
  readonly bytes: Uint8Array;
  /** Position of each name's line break in `bytes`. */
  readonly ends: Uint32Array;
  at(row: number): string;
  /** The rows whose name contains a text. The next search overwrites the result. */
  search(text: string): RowSet;
};

/** In bytes. The longest query, 100 characters, takes less when folded and encoded as UTF-8. */
const maxTextLength = 8192;

/** Allocates names for a number of rows. The caller fills `bytes`, whose length includes the line breaks, and `ends`. */
export function allocateNames(rows: number, length: number): Names {
  const marksLength = Math.ceil(rows / 32) * 4;
  const endsAt = maxTextLength + marksLength;
  const from = endsAt + rows * 4;
  const { memory, scan } = loadScan(from + length + maxTextLength + 16);
  const bytes = Buffer.from(memory, from, length);
  const ends = new Uint32Array(memory, endsAt, rows);
  const marks = new Uint32Array(memory, maxTextLength, marksLength / 4);

  return {
    bytes,
    ends,
    at: (row) => bytes.toString("latin1", row === 0 ? 0 : (ends[row - 1] ?? 0) + 1, ends[row]),
    search(text) {
      marks.fill(text === "" ? -1 : 0);
      if (text === "" && rows % 32 > 0) marks[marks.length - 1] = 2 ** (rows % 32) - 1;
      if (text === "" || text.length > maxTextLength) return marks;
      Buffer.from(memory, 0, maxTextLength).write(text, "latin1");
      scan(from, from + length, endsAt, 0, text.length, maxTextLength);
      return marks;
    },
  };
}

export function namesOf(texts: readonly string[]): Names {
  const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(""), "latin1");
  const names = allocateNames(texts.length, bytes.length);
  names.bytes.set(bytes);
  let end = -1;
  names.ends.set(texts.map(({ length }) => (end += length + 1)));
  return names;
}

/** See scan.as.ts. */
type Scan = (from: number, to: number, ends: number, text: number, length: number, marks: number) => void;

/** Instantiates the scan with a new memory of at least so many bytes. */
function loadScan(bytes: number): { readonly memory: ArrayBuffer; readonly scan: Scan } {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / 65_536) });
  const module = new WebAssembly.Module(Buffer.from(scanWasm, "base64"));
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  return { memory: memory.buffer, scan: exports.scan };
}

/** What is used of it. Node's types declare `WebAssembly` as a namespace of types only. */
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: { readonly scan: Scan } };
};
