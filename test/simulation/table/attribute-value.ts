import { canonical, compareNumbers } from "./decimal.ts";
import { invalid, invalidParameter } from "./failure.ts";

/** An attribute value in DynamoDB's JSON format. Bytes are base64 text. Values are never mutated. */
export type AttributeValue = {
  readonly S?: string;
  readonly N?: string;
  readonly B?: string;
  readonly BOOL?: boolean;
  readonly NULL?: boolean;
  readonly L?: readonly AttributeValue[];
  readonly M?: Item;
  readonly SS?: readonly string[];
  readonly NS?: readonly string[];
  readonly BS?: readonly string[];
};

/** Attributes by name: an item or a map. */
export type Item = { readonly [name: string]: AttributeValue };

export type TypeName = keyof AttributeValue;

export const typeOf = (value: AttributeValue): TypeName => {
  for (const name in value) return name as TypeName;
  throw invalid("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes");
};

/** The members of a set. Undefined for other types. */
export const membersOf = ({ SS, NS, BS }: AttributeValue): readonly string[] | undefined => SS ?? NS ?? BS;

const bytesOf = (base64: string): Buffer => Buffer.from(base64, "base64");

/** Compares by UTF-8 bytes, which is the order of code points: surrogates come after all other UTF-16 code units. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let n = 0; n < length; n++) {
    const [x, y] = [a.charCodeAt(n), b.charCodeAt(n)];
    if (x !== y) return place(x) - place(y);
  }
  return a.length - b.length;
}

const place = (unit: number): number => (unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit);

/** Compares two values of the same ordered type. Undefined for other values. */
export function compare(a: AttributeValue, b: AttributeValue): number | undefined {
  if (a.S !== undefined && b.S !== undefined) return compareText(a.S, b.S);
  if (a.N !== undefined && b.N !== undefined) return compareNumbers(a.N, b.N);
  if (a.B !== undefined && b.B !== undefined) return Buffer.compare(bytesOf(a.B), bytesOf(b.B));
  return undefined;
}

export function equal(a: AttributeValue, b: AttributeValue): boolean {
  const type = typeOf(a);
  if (type !== typeOf(b)) return false;
  switch (type) {
    case "L": {
      const [left = [], right = []] = [a.L, b.L];
      return left.length === right.length && left.every((one, n) => right[n] !== undefined && equal(one, right[n]));
    }
    case "M": {
      const [left = {}, right = {}] = [a.M, b.M];
      const names = Object.keys(left);
      return names.length === Object.keys(right).length && names.every((name) => equalAt(left, right, name));
    }
    case "SS":
    case "NS":
    case "BS": {
      const [left, right] = [new Set(membersOf(a)), new Set(membersOf(b))];
      return left.size === right.size && [...left].every((member) => right.has(member));
    }
    case "NULL":
      return true;
    case "S":
    case "N":
    case "B":
    case "BOOL":
      return a[type] === b[type];
    default:
      return type satisfies never;
  }
}

function equalAt(a: Item, b: Item, name: string): boolean {
  const [left, right] = [a[name], b[name]];
  return left !== undefined && right !== undefined && equal(left, right);
}

/** Size in bytes by DynamoDB's rules. */
export function sizeOf(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.N !== undefined) return numberSize(value.N);
  if (value.B !== undefined) return Buffer.byteLength(value.B, "base64");
  if (value.L !== undefined) return value.L.reduce((sum, one) => sum + 1 + sizeOf(one), 3);
  if (value.M !== undefined) return Object.keys(value.M).length + 3 + itemSize(value.M);
  if (value.SS !== undefined) return value.SS.reduce((sum, one) => sum + Buffer.byteLength(one), 0);
  if (value.NS !== undefined) return value.NS.reduce((sum, one) => sum + numberSize(one), 0);
  if (value.BS !== undefined) return value.BS.reduce((sum, one) => sum + Buffer.byteLength(one, "base64"), 0);
  return 1;
}

const numberSize = (text: string): number => Math.ceil(text.replace(/^-?0*\.?0*|\.|0+$/g, "").length / 2) + 1;

export function itemSize(item: Item): number {
  let size = 0;
  for (const [name, value] of Object.entries(item)) size += Buffer.byteLength(name) + sizeOf(value);
  return size;
}

const deepest = 32;

/**
 * Normalizes a value like DynamoDB: the canonical form of numbers, and unique members of sets.
 * @throws TableFailure for values that DynamoDB refuses
 */
export function stored(value: AttributeValue, depth = 0): AttributeValue {
  if (depth > deepest) throw invalid("Nesting Levels have exceeded supported limits");
  if (value.N !== undefined) return { N: canonical(value.N) };
  if (value.M !== undefined) return { M: storedItem(value.M, depth + 1) };
  if (value.L !== undefined) return { L: value.L.map((one) => stored(one, depth + 1)) };
  const members = membersOf(value);
  if (!members) {
    typeOf(value);
    return value;
  }
  const type = typeOf(value);
  if (members.length === 0) throw invalidParameter("An set  may not be empty");
  if (new Set(members).size < members.length) throw invalidParameter("Input collection contains duplicates");
  return { [type]: type === "NS" ? members.map(canonical) : members };
}

export function storedItem(item: Item, depth = 0): Item {
  const entries = Object.entries(item);
  if (entries.some(([name]) => name === "")) throw invalid("Empty attribute name");
  return Object.fromEntries(entries.map(([name, value]) => [name, stored(value, depth)]));
}
