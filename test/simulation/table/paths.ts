import type { AttributeValue, Item } from "./attribute-value.ts";
import { invalid } from "./failure.ts";
import type { Bindings, PathNode, PathPart } from "./tokens.ts";

/** A path with its names in the place of placeholders. */
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
 * The value with another one at a path; undefined takes it away. Nothing that was there is changed in place.
 *
 * @throws TableFailure where the path leads through what is not there
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

/** Stands in a list for what is taken out once all is done, so that places keep their meaning meanwhile. */
const removed: AttributeValue = { NULL: true };

/** Takes out of lists what was removed. */
export function compacted(value: AttributeValue): AttributeValue {
  if (value.L) return { L: value.L.filter((one) => one !== removed).map(compacted) };
  if (value.M) return { M: Object.fromEntries(Object.entries(value.M).map(([name, one]) => [name, compacted(one)])) };
  return value;
}

/** Only what is at these paths. */
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
