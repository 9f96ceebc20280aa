import type { AttributeValue, Item } from "./attribute-value.ts";

/** Reorders a list. DynamoDB returns maps and sets in no particular order. */
export type Shuffle = <T>(list: T[]) => T[];

/** Converts a JavaScript value to an attribute value like the document client. Omits undefined values. */
function toWire(value: unknown): AttributeValue {
  if (value === null) return { NULL: true };
  if (typeof value === "string") return { S: value };
  if (typeof value === "number") return { N: String(value) };
  if (typeof value === "boolean") return { BOOL: value };
  if (typeof value === "object") return objectToWire(value);
  throw new Error(`A ${typeof value} cannot be stored`);
}

function objectToWire(value: object): AttributeValue {
  if (value instanceof Uint8Array) return { B: base64(value) };
  if (Array.isArray(value)) return { L: value.filter((one) => one !== undefined).map(toWire) };
  if (value instanceof Set) return setToWire([...value]);
  // Like the SDK, which checks the constructor of a value and refuses class instances.
  if (value.constructor !== undefined && value.constructor !== Object)
    throw new Error("Unsupported type passed. Pass options.convertClassInstanceToMap=true");
  return { M: itemToWire(value) };
}

function setToWire(members: readonly unknown[]): AttributeValue {
  const [first] = members;
  if (first instanceof Uint8Array) return { BS: members.map((one) => base64(one as Uint8Array)) };
  return typeof first === "number" ? { NS: members.map(String) } : { SS: members.map(String) };
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

export function itemToWire(item: object): Item {
  const wire: Record<string, AttributeValue> = {};
  for (const [name, value] of Object.entries(item)) {
    if (value === undefined) continue;
    const to = toWire(value);
    if (name === "__proto__") Object.defineProperty(wire, name, { value: to, enumerable: true, configurable: true });
    else wire[name] = to;
  }
  return wire;
}

function fromWire(value: AttributeValue, shuffle: Shuffle): unknown {
  if (value.S !== undefined) return value.S;
  if (value.N !== undefined) return Number(value.N);
  if (value.BOOL !== undefined) return value.BOOL;
  if (value.B !== undefined) return bytes(value.B);
  if (value.L) return value.L.map((one) => fromWire(one, shuffle));
  if (value.M) return itemFromWire(value.M, shuffle, true);
  if (value.SS) return new Set(shuffle([...value.SS]));
  if (value.NS) return new Set(shuffle(value.NS.map(Number)));
  if (value.BS) return new Set(shuffle(value.BS.map(bytes)));
  return null;
}

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "base64"));

/**
 * Converts an item. The order of its attributes is irrelevant, because they are read by name. The order inside a nested
 * map may be visible.
 */
export function itemFromWire(item: Item, shuffle: Shuffle, isInside = false): Record<string, unknown> {
  const native: Record<string, unknown> = {};
  const names = Object.keys(item);
  for (const name of isInside ? shuffle(names) : names) {
    const value = fromWire(item[name] ?? {}, shuffle);
    if (name === "__proto__") Object.defineProperty(native, name, { value, enumerable: true, configurable: true });
    else native[name] = value;
  }
  return native;
}
