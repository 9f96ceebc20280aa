import { compare, compareText, type Item } from "./attribute-value.ts";
import { projected } from "./paths.ts";
import { type IndexSchema, type KeySchema, keyNames, keyText, type TableSchema, textOf } from "./schema.ts";

/** An item in a partition. `tie` is the table's own key, which orders items with equal sort keys. */
type Entry = { readonly item: Item; readonly tie: string };

/** Items, ordered by sort key. */
class Partition {
  readonly entries: Entry[] = [];
  readonly #range: string | undefined;

  constructor(range: string | undefined) {
    this.#range = range;
  }

  /** Index of the first entry that is not before the given item. */
  placeOf(item: Item, tie: string): number {
    let [from, to] = [0, this.entries.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      const entry = this.entries[middle];
      if (entry && this.#order(entry, item, tie) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  put(item: Item, tie: string): void {
    const place = this.placeOf(item, tie);
    this.entries.splice(place, this.#isAt(place, item, tie) ? 1 : 0, { item, tie });
  }

  remove(item: Item, tie: string): void {
    const place = this.placeOf(item, tie);
    if (this.#isAt(place, item, tie)) this.entries.splice(place, 1);
  }

  #isAt(place: number, item: Item, tie: string): boolean {
    const entry = this.entries[place];
    return entry !== undefined && this.#order(entry, item, tie) === 0;
  }

  #order(entry: Entry, item: Item, tie: string): number {
    const [a, b] = this.#range === undefined ? [] : [entry.item[this.#range], item[this.#range]];
    return (a && b && compare(a, b)) || compareText(entry.tie, tie);
  }
}

/** Items of a table or of an index, by key. */
export class Keyspace {
  readonly schema: KeySchema;
  readonly #partitions = new Map<string, Partition>();

  constructor(schema: KeySchema) {
    this.schema = schema;
  }

  partition(hash: Item[string] | undefined): Partition | undefined {
    return this.#partitions.get(textOf(hash));
  }

  /** All partitions, in an order that is unrelated to their keys. */
  partitions(): [string, Partition][] {
    return [...this.#partitions].toSorted(([a], [b]) => scatter(a) - scatter(b) || compareText(a, b));
  }

  put(item: Item, tie: string): void {
    const name = textOf(item[this.schema.hash]);
    const known = this.#partitions.get(name);
    const partition = known ?? new Partition(this.schema.range);
    if (!known) this.#partitions.set(name, partition);
    partition.put(item, tie);
  }

  remove(item: Item, tie: string): void {
    const name = textOf(item[this.schema.hash]);
    const partition = this.#partitions.get(name);
    partition?.remove(item, tie);
    if (partition?.entries.length === 0) this.#partitions.delete(name);
  }
}

/** Hashes a text (FNV-1a). */
export function scatter(text: string): number {
  let hash = 0x811c9dc5;
  for (let n = 0; n < text.length; n++) hash = Math.imul(hash ^ text.charCodeAt(n), 0x01000193);
  return hash >>> 0;
}

/** The items of a table and its indexes. Indexes are updated immediately. */
export class Storage {
  readonly schema: TableSchema;
  readonly #items = new Map<string, Item>();
  readonly base: Keyspace;
  readonly indexes = new Map<string, { readonly schema: IndexSchema; readonly items: Keyspace }>();

  constructor(schema: TableSchema, items: Iterable<Item> = []) {
    this.schema = schema;
    this.base = new Keyspace(schema);
    for (const index of schema.indexes) this.indexes.set(index.name, { schema: index, items: new Keyspace(index) });
    for (const item of items) this.replace(undefined, item);
  }

  get(key: Item): Item | undefined {
    return this.#items.get(keyText(this.schema, key));
  }

  items(): Iterable<Item> {
    return this.#items.values();
  }

  get size(): number {
    return this.#items.size;
  }

  /** Replaces an item, or adds it if there was none. Undefined removes the item. */
  replace(before: Item | undefined, after: Item | undefined): void {
    const item = after ?? before;
    if (!item) return;
    const tie = keyText(this.schema, item);
    if (after) {
      this.#items.set(tie, after);
      this.base.put(after, "");
    } else {
      this.#items.delete(tie);
      this.base.remove(item, "");
    }
    for (const { schema, items } of this.indexes.values()) {
      if (before && isIn(schema, before)) items.remove(before, tie);
      if (after && isIn(schema, after)) items.put(this.#shownIn(schema, after), tie);
    }
  }

  #shownIn(index: IndexSchema, item: Item): Item {
    if (index.projection === "ALL") return item;
    const names = [...keyNames(this.schema), ...keyNames(index), ...index.included];
    return projected(
      item,
      [...new Set(names)].map((name) => [name]),
    );
  }
}

const isIn = (index: IndexSchema, item: Item): boolean => keyNames(index).every((name) => item[name] !== undefined);
