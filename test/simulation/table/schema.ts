import type { AttributeValue, Item } from "./attribute-value.ts";
import { invalid, invalidParameter } from "./failure.ts";

export type KeySchema = { readonly hash: string; readonly range: string | undefined };

export type IndexSchema = KeySchema & {
  readonly name: string;
  readonly isGlobal: boolean;
  readonly projection: "ALL" | "KEYS_ONLY" | "INCLUDE";
  readonly included: readonly string[];
};

export type TableSchema = KeySchema & {
  readonly name: string;
  /** Types of the key attributes. */
  readonly types: Readonly<Record<string, "S" | "N" | "B">>;
  readonly indexes: readonly IndexSchema[];
};

export const keyNames = ({ hash, range }: KeySchema): string[] => (range === undefined ? [hash] : [hash, range]);

export const keyOf = (schema: KeySchema, item: Item): Item =>
  Object.fromEntries(keyNames(schema).flatMap((name) => (item[name] ? [[name, item[name]]] : [])));

/** Converts a key value to a unique text. */
export const textOf = (value: AttributeValue | undefined): string => JSON.stringify(value);

/** Converts a primary key to a unique text. */
export const keyText = (schema: KeySchema, item: Item): string =>
  keyNames(schema)
    .map((name) => textOf(item[name]))
    .join(" ");

const longest = { hash: 2048, range: 1024 };

/** @throws TableFailure for a key that does not match the table's key schema */
export function assertKey(schema: TableSchema, key: Item): void {
  const names = keyNames(schema);
  if (Object.keys(key).length !== names.length || names.some((name) => !key[name]))
    throw invalid("The provided key element does not match the schema");
  if (names.some((name) => key[name]?.[schema.types[name] ?? "S"] === undefined))
    throw invalid("The provided key element does not match the schema");
  assertKeyValues(schema, key);
}

/** @throws TableFailure for an item whose table or index keys have the wrong type */
export function assertItemKeys(schema: TableSchema, item: Item): void {
  for (const name of keyNames(schema)) {
    const [value, type] = [item[name], schema.types[name] ?? "S"];
    if (!value) throw invalidParameter(`Missing the key ${name} in the item`);
    if (value[type] === undefined)
      throw invalidParameter(`Type mismatch for key ${name} expected: ${type} actual: ${Object.keys(value)[0]}`);
  }
  assertKeyValues(schema, item);
  for (const index of schema.indexes)
    for (const name of keyNames(index)) {
      const [value, type] = [item[name], schema.types[name] ?? "S"];
      if (!value) continue;
      if (value[type] === undefined)
        throw invalidParameter(
          `Type mismatch for Index Key ${name} Expected: ${type} Actual: ${Object.keys(value)[0]} IndexName: ${index.name}`,
        );
      if (value.S === "" || value.B === "")
        throw invalidParameter(
          `The update expression or item has an empty value for the key attribute ${name} of the index ${index.name}`,
        );
    }
}

function assertKeyValues(schema: TableSchema, item: Item): void {
  for (const part of ["hash", "range"] as const) {
    const name = schema[part];
    const value = name === undefined ? undefined : item[name];
    if (value?.S === "" || value?.B === "")
      throw invalid(
        `One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: ${name}`,
      );
    const size = Buffer.byteLength(value?.S ?? "");
    if (size > longest[part])
      throw invalidParameter(
        part === "hash"
          ? `Size of hashkey has exceeded the maximum size limit of${longest.hash} bytes`
          : `Aggregated size of all range keys has exceeded the size limit of ${longest.range} bytes`,
      );
  }
}
