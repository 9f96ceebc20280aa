import { scanWasm } from "./scan.wasm.ts";

/** The names of all rows, as `searchable` makes them, where they are searched all at once. */
export type Names = {
  /** All of them, each with a line break after it, which none of them holds. */
  readonly bytes: Uint8Array;
  /** Where the line break of each stands. */
  readonly ends: Uint32Array;
  at(row: number): string;
  /** The rows whose name holds a text, to be used before the next are asked for. */
  holding(text: string): Rows;
};

/** A set of rows: a bit for each. */
export type Rows = Uint32Array;

export const noRows = (size: number): Rows => new Uint32Array(Math.ceil(size / 32));

export const has = (rows: Rows, row: number): boolean => (((rows[row >>> 5] ?? 0) >>> (row & 31)) & 1) === 1;

export function include(rows: Rows, row: number): void {
  rows[row >>> 5] = (rows[row >>> 5] ?? 0) | (1 << (row & 31));
}

/** Takes some rows out, and says how many are left. */
export function without(rows: Rows, others: Rows): number {
  let left = 0;
  for (let n = 0; n < rows.length; n++) left += ones((rows[n] = (rows[n] ?? 0) & ~(others[n] ?? 0)));
  return left;
}

/** Calls back for each row but so many first ones, until it is told that it is enough. */
export function each(rows: Rows, skip: number, found: (row: number) => boolean): void {
  let left = skip;
  for (const [n, word] of rows.entries()) {
    const count = ones(word);
    if (count <= left) left -= count;
    else
      for (let bits = word; bits !== 0; bits &= bits - 1) {
        if (left > 0) left--;
        else if (!found(n * 32 + 31 - Math.clz32(bits & -bits))) return;
      }
  }
}

function ones(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** A hundred characters take no more, folded and as UTF-8. */
const longestText = 8192;

/** Room for names of so many bytes, line breaks included. */
export function roomForNames(rows: number, bytes: number): Names {
  const marksLength = Math.ceil(rows / 32) * 4;
  const ends = longestText + marksLength;
  const from = ends + rows * 4;
  const { memory, scan } = loadScan(from + bytes + longestText + 16);
  const names = Buffer.from(memory, from, bytes);
  const lineBreaks = new Uint32Array(memory, ends, rows);
  const marks = new Uint32Array(memory, longestText, marksLength / 4);

  return {
    bytes: names,
    ends: lineBreaks,
    at: (row) => names.toString("latin1", row === 0 ? 0 : (lineBreaks[row - 1] ?? 0) + 1, lineBreaks[row]),
    holding(text) {
      marks.fill(text === "" ? -1 : 0);
      if (text === "" && rows % 32 > 0) marks[marks.length - 1] = 2 ** (rows % 32) - 1;
      if (text === "" || text.length > longestText) return marks;
      Buffer.from(memory, 0, longestText).write(text, "latin1");
      scan(from, from + bytes, ends, 0, text.length, longestText);
      return marks;
    },
  };
}

export function namesOf(texts: readonly string[]): Names {
  const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(""), "latin1");
  const names = roomForNames(texts.length, bytes.length);
  names.bytes.set(bytes);
  let end = -1;
  names.ends.set(texts.map(({ length }) => (end += length + 1)));
  return names;
}

/** See scan.as.ts. */
type Scan = (from: number, to: number, ends: number, text: number, length: number, marks: number) => void;

/** Instantiates the scan with a memory of its own of at least so many bytes. */
function loadScan(bytes: number): { readonly memory: ArrayBuffer; readonly scan: Scan } {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / 65_536) });
  const module = new WebAssembly.Module(Buffer.from(scanWasm, "base64"));
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  return { memory: memory.buffer, scan: exports.scan };
}

/** The part of it that is used here: Node's types declare only its types. */
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: { readonly scan: Scan } };
};
