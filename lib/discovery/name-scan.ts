/**
 * Marks the rows whose names hold a text. Written in WebAssembly's own instructions, as it compares 16 letters at once:
 * `String.indexOf` stops at every first letter, and takes three times as long among a million names where it is a
 * common one. The binary format is https://webassembly.github.io/spec/core/binary.
 */

/** Where in the memory what is, in bytes. */
export type Scan = {
  /** The names, each with a line break after it. Behind them, 16 bytes and the length of the text can be read too. */
  readonly from: number;
  readonly to: number;
  /** Where the line break of each stands, counted from `from`: 32 bits each. */
  readonly ends: number;
  /** One byte or more, none of them a line break. */
  readonly text: number;
  readonly length: number;
  /** A bit for each row, which is set where its name holds the text. */
  readonly marks: number;
};

/** A memory of at least so many bytes, and the scan of what is in it. */
export function scanner(bytes: number): { readonly memory: ArrayBuffer; readonly scan: (of: Scan) => void } {
  const memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / 65_536) });
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.from(module)), { "": { memory } });
  return {
    memory: memory.buffer,
    scan: (of) => exports.scan?.(of.from, of.to, of.ends, of.text, of.length, of.marks),
  };
}

/** As much of it as is used: Node's types have it as a namespace of types only. */
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (
    module: object,
    imports: object,
  ) => { readonly exports: Readonly<Record<string, (...parameters: number[]) => void>> };
};

type Code = readonly number[];

const get = (local: number): Code => [0x20, local];
const set = (local: number, value: Code): Code => [...value, 0x21, local];
/** From −64 to 63. */
const int = (value: number): Code => [0x41, value & 0x7f];
const add = (a: Code, b: Code): Code => [...a, ...b, 0x6a];
const subtract = (a: Code, b: Code): Code => [...a, ...b, 0x6b];
const and = (a: Code, b: Code): Code => [...a, ...b, 0x71];
const or = (a: Code, b: Code): Code => [...a, ...b, 0x72];
const shiftLeft = (a: Code, b: Code): Code => [...a, ...b, 0x74];
const shiftRight = (a: Code, b: Code): Code => [...a, ...b, 0x76];
const isZero = (a: Code): Code => [...a, 0x45];
const isOther = (a: Code, b: Code): Code => [...a, ...b, 0x47];
const isLess = (a: Code, b: Code): Code => [...a, ...b, 0x48];
const zerosBelow = (a: Code): Code => [...a, 0x68];
const byteAt = (address: Code): Code => [...address, 0x2d, 0, 0];
const wordAt = (address: Code): Code => [...address, 0x28, 2, 0];
const putWord = (address: Code, value: Code): Code => [...address, ...value, 0x36, 2, 0];

const sixteenAt = (address: Code): Code => [...address, 0xfd, 0, 0, 0];
const sixteenOf = (byte: Code): Code => [...byte, 0xfd, 15];
const equal = (a: Code, b: Code): Code => [...a, ...b, 0xfd, 35];
const both = (a: Code, b: Code): Code => [...a, ...b, 0xfd, 78];
const bitsOf = (sixteen: Code): Code => [...sixteen, 0xfd, 100, 1];

/** A jump goes to the end of a block and to the start of a loop; 0 is the innermost that it stands in. */
const block = (...codes: Code[]): Code => [0x02, 0x40, ...codes.flat(), 0x0b];
const loop = (...codes: Code[]): Code => [0x03, 0x40, ...codes.flat(), 0x0b];
const jump = (depth: number): Code => [0x0c, depth];
const jumpIf = (condition: Code, depth: number): Code => [...condition, 0x0d, depth];
const jumpUnless = (condition: Code, depth: number): Code => jumpIf(isZero(condition), depth);

const [from, to, ends, text, length, marks] = [0, 1, 2, 3, 4, 5];
const [at, hits, hit, n, row, first, last] = [6, 7, 8, 9, 10, 11, 12];

const endOfRow = wordAt(add(get(ends), shiftLeft(get(row), int(2))));
const wordOfRow = add(get(marks), and(shiftRight(get(row), int(3)), int(-4)));

const body: Code = [
  ...set(at, get(from)),
  ...set(first, sixteenOf(byteAt(get(text)))),
  ...set(last, sixteenOf(byteAt(subtract(add(get(text), get(length)), int(1))))),
  // From here on, no name has room for the text.
  ...set(to, add(subtract(get(to), get(length)), int(1))),
  ...block(
    loop(
      jumpUnless(isLess(get(at), get(to)), 1),
      set(
        hits,
        bitsOf(
          both(
            equal(get(first), sixteenAt(get(at))),
            equal(get(last), sixteenAt(subtract(add(get(at), get(length)), int(1)))),
          ),
        ),
      ),
      block(
        loop(
          jumpUnless(get(hits), 1),
          set(hit, add(get(at), zerosBelow(get(hits)))),
          set(hits, and(get(hits), subtract(get(hits), int(1)))),
          set(n, int(1)),
          block(
            loop(
              jumpUnless(isLess(get(n), get(length)), 1),
              jumpIf(isOther(byteAt(add(get(hit), get(n))), byteAt(add(get(text), get(n)))), 2),
              set(n, add(get(n), int(1))),
              jump(0),
            ),
          ),
          jumpUnless(isLess(get(hit), get(to)), 3),
          block(
            loop(jumpIf(isLess(subtract(get(hit), get(from)), endOfRow), 1), set(row, add(get(row), int(1))), jump(0)),
          ),
          putWord(wordOfRow, or(wordAt(wordOfRow), shiftLeft(int(1), get(row)))),
          // A name counts once: on with the next.
          set(at, add(add(get(from), endOfRow), int(1))),
          jump(2),
        ),
      ),
      set(at, add(get(at), int(16))),
      jump(0),
    ),
  ),
];

const [i32, v128] = [0x7f, 0x7b];
const sized = (codes: Code): Code => [...leb128(codes.length), ...codes];
const leb128 = (value: number): Code => (value < 128 ? [value] : [(value & 127) | 128, ...leb128(value >> 7)]);
const section = (id: number, content: Code): Code => [id, ...sized([1, ...content])];
const nameOf = (ascii: string): Code => sized([...Buffer.from(ascii)]);

const module: Code = [
  ...Buffer.from("\0asm\u0001\0\0\0"),
  // The type of a function of six numbers, a memory that is given, and one function, called `scan`.
  ...section(1, [0x60, ...sized(Array.from({ length: 6 }, () => i32)), 0]),
  ...section(2, [...nameOf(""), ...nameOf("memory"), 2, 0, 1]),
  ...section(3, [0]),
  ...section(7, [...nameOf("scan"), 0, 0]),
  ...section(10, sized([2, 5, i32, 2, v128, ...body, 0x0b])),
];
