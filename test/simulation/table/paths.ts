import type { AttributeValue, Item } from "./attribute-value.ts";
import { invalid } from "./failure.ts";
import type { Bindings, PathNode, PathPart } from "./tokens.ts";

/** Replaces the placeholders of a path by names. */
export const resolved = ({ path }: PathNode, { names }: Bindings): PathPart[] =>
  path.map((part) => (typeof part === "string" ? (names[part] ?? part) : part));

export function valueAt(item: Item, path: readonly PathPart[]): AttributeValue | undefined {
  let value: AttributeValue | undefined = { M: item };
  for (const part of path) {
    value = typeof part === "number" ? value?.L?.[part] : own(value?.M, part);
    if (value === undefined) return undefined;
  }
  return value;
}

const own = (item: Item | undefined, name: string): AttributeValue | undefined =>
  item && Object.hasOwn(item, name) ? item[name] : undefined;

const noParent = () => invalid("The document path provided in the update expression is invalid for update");

/**
 * Returns a copy of a value with another value at a path. Undefined removes the value at the path.
 * @throws TableFailure if the parent of the path does not exist
 */
export function withValue(
  inside: AttributeValue | undefined,
  [part, ...rest]: readonly PathPart[],
  value: AttributeValue | undefined,
): AttributeValue {
  if (typeof part === "number") {
    if (!inside?.L) throw noParent();
    const list: (AttributeValue | undefined)[] = [...inside.L];
    if (rest.length > 0) {
      if (list[part] === undefined) throw noParent();
      list[part] = withValue(list[part], rest, value);
    } else if (value === undefined) {
      if (part < list.length) list[part] = removed;
    } else list[Math.min(part, list.length)] = value;
    return { L: list as AttributeValue[] };
  }
  if (!inside?.M || part === undefined) throw noParent();
  const { [part]: before, ...others } = inside.M;
  if (rest.length > 0) {
    if (before === undefined) throw noParent();
    return { M: { ...inside.M, [part]: withValue(before, rest, value) } };
  }
  return { M: value === undefined ? others : { ...inside.M, [part]: value } };
}

/** Marks removed list elements until all actions are done, so that indexes stay valid. */
const removed: AttributeValue = { NULL: true };

/** Drops removed elements from lists. */
export function compacted(value: AttributeValue): AttributeValue {
  if (value.L) return { L: value.L.filter((one) => one !== removed).map(compacted) };
  if (value.M) return { M: Object.fromEntries(Object.entries(value.M).map(([name, one]) => [name, compacted(one)])) };
  return value;
}

/** Returns only the attributes at the given paths. */
export function projected(item: Item, paths: readonly (readonly PathPart[])[]): Item {
  return pick({ M: item }, paths).M ?? {};
}

function pick(value: AttributeValue, paths: readonly (readonly PathPart[])[]): AttributeValue {
  if (paths.some((path) => path.length === 0)) return value;
  const parts = [...new Set(paths.map(([part]) => part))];
  const below = (part: PathPart) => paths.filter(([first]) => first === part).map(([, ...rest]) => rest);
  if (value.L) {
    const places = parts.filter((part) => typeof part === "number").toSorted((a, b) => a - b);
    return { L: places.flatMap((part) => taken(value.L?.[part], below(part))) };
  }
  const { M: map } = value;
  if (!map) return value;
  const names = parts.filter((part) => typeof part === "string");
  return {
    M: Object.fromEntries(names.flatMap((name) => taken(own(map, name), below(name)).map((one) => [name, one]))),
  };
}

function taken(value: AttributeValue | undefined, paths: readonly (readonly PathPart[])[]): AttributeValue[] {
  const isThere = value && paths.some((path) => valueAt({ x: value }, ["x", ...path]) !== undefined);
  return isThere ? [pick(value, paths)] : [];
}
