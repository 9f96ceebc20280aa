import type { RowSet } from "./row-set.ts";
import { scanWasm } from "./scan.wasm.ts";

/** The `searchable` names of all rows, in the memory of the WebAssembly scan. */
export type Names = {
  /** All names, each followed by a line break, which no name contains. */
  readonly bytes: Buffer;
  /** Position of each name's line break in `bytes`. */
  readonly ends: Uint32Array;
  at(row: number): string;
  /** Returns the rows whose names contain a text. The next search overwrites the result. */
  search(text: string): RowSet;
  /** Everything that is stored: the caller's additional bytes, followed by `ends` and `bytes`. */
  readonly image: Uint8Array;
};

/** Maximum length of a text in bytes. The longest query, 100 characters, takes less when folded and encoded as UTF-8. */
const maxTextLength = 8192;

/**
 * Allocates memory for names, and additional memory for the caller. The caller fills both.
 *
 * @param length length of `bytes`, including line breaks
 * @param more additional memory, in bytes
 */
export function allocateNames(rows: number, length: number, more = 0): Names {
  const start = maxTextLength + Math.ceil(rows / 64) * 8;
  const endsAt = start + Math.ceil(more / 4) * 4;
  const from = endsAt + rows * 4;
  const { memory, scan } = loadScan(from + length + maxTextLength + 16);
  const bytes = Buffer.from(memory, from, length);
  const ends = new Uint32Array(memory, endsAt, rows);
  const marks = new Uint32Array(memory, maxTextLength, Math.ceil(rows / 32));

  return {
    bytes,
    ends,
    image: new Uint8Array(memory, start, from + length - start),
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

/** Sets the names of all rows. */
export function fillNames({ bytes, ends }: Names, texts: readonly string[]): void {
  let end = 0;
  for (const [row, text] of texts.entries()) {
    end += bytes.write(`${text}\n`, end, "latin1");
    ends[row] = end - 1;
  }
}

/** The parameters are documented in scan.as.ts. */
type Scan = (from: number, to: number, ends: number, text: number, length: number, marks: number) => void;

/** Instantiates the scan with a new memory of at least this size. */
function loadScan(bytes: number): { readonly memory: ArrayBuffer; readonly scan: Scan } {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / 65_536) });
  const module = new WebAssembly.Module(Buffer.from(scanWasm, "base64"));
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  return { memory: memory.buffer, scan: exports.scan };
}

/** The used part of `WebAssembly`. Node's types declare `WebAssembly` as a namespace that contains only types. */
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: { readonly scan: Scan } };
};
