/** A JSON document, or a part of one. */
type Part = { readonly [name: string]: unknown };

/**
 * Callers send bodies and receive responses. A body that allows more values is compatible. A response that allows more
 * values breaks callers.
 */
type Direction = "sent" | "received";

/** The same part of both documents, and its location. */
type Pair = { readonly was: Part; readonly is: Part; readonly at: string };

const part = (value: unknown): Part => (typeof value === "object" && value !== null ? (value as Part) : {});
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const pairOf = (was: unknown, is: unknown, at: string): Pair => ({ was: part(was), is: part(is), at });
const names = (value: unknown): string[] => Object.keys(part(value));

/** Returns the changes in the second document that break callers of the first, one line each. */
export function breakingChanges(first: object, second: object): string[] {
  const [before, after] = [part(first), part(second)];

  return names(before.paths).flatMap((path) =>
    names(part(before.paths)[path]).flatMap((method) => {
      const at = `${method.toUpperCase()} ${path}`;
      const [was, is] = [before, after].map((document) => part(part(part(document.paths)[path])[method]));
      if (!was || !is || names(is).length === 0) return [`${at} is gone`];
      return operation({ was, is, at });
    }),
  );

  function operation({ was, is, at }: Pair): string[] {
    const isAnonymous = ({ security }: Part) =>
      list(security).length === 0 || list(security).some((one) => names(one).length === 0);
    return [
      ...(was.operationId === is.operationId ? [] : [`${at} has another operationId`]),
      ...(isAnonymous(was) && !isAnonymous(is) ? [`${at} needs a token`] : []),
      ...parameters({ was, is, at }),
      ...body(pairOf(was.requestBody, is.requestBody, at)),
      ...answers(pairOf(was.responses, is.responses, at)),
    ];
  }

  function parameters({ was, is, at }: Pair): string[] {
    const known = list(was.parameters).map(part);
    const given = list(is.parameters).map(part);
    const same = (one: Part) => (other: Part) => one.name === other.name && one.in === other.in;
    const added = given.filter((one) => one.required === true && !known.some(same(one)));
    return [
      ...added.map(({ name }) => `${at} needs the parameter ${String(name)}`),
      ...known.flatMap((one) => {
        const [now] = given.filter(same(one));
        const place = `${at} ${String(one.name)}`;
        if (!now) return [`${place} is gone`];
        const needed = now.required === true && one.required !== true ? [`${place} is required`] : [];
        return [...needed, ...schemas("sent", pairOf(one.schema, now.schema, place))];
      }),
    ];
  }

  function body({ was, is, at }: Pair): string[] {
    const needed = is.required === true && was.required !== true ? [`${at} needs a body`] : [];
    return [...needed, ...contents("sent", { was, is, at })];
  }

  function answers({ was, is, at }: Pair): string[] {
    return names(was)
      .filter((status) => status.startsWith("2"))
      .flatMap((status) => {
        const pair = pairOf(was[status], is[status], `${at} ${status}`);
        if (!(status in is)) return [`${at} no longer answers ${status}`];
        const lost = names(pair.was.headers).filter((name) => !names(pair.is.headers).includes(name));
        return [...lost.map((name) => `${pair.at} has no ${name}`), ...contents("received", pair)];
      });
  }

  function contents(direction: Direction, { was, is, at }: Pair): string[] {
    return names(was.content).flatMap((type) => {
      if (!names(is.content).includes(type)) return [`${at} no longer has ${type}`];
      const [from, to] = [was, is].map(({ content }) => part(part(content)[type]).schema);
      return schemas(direction, pairOf(from, to, at));
    });
  }

  function schemas(direction: Direction, pair: Pair): string[] {
    const { at } = pair;
    const [was, is] = [resolved(before, pair.was), resolved(after, pair.is)];
    const [wide, narrow] = direction === "sent" ? [is, was] : [was, is];
    const from = part(was.properties);
    const to = part(is.properties);
    return [
      ...(covers(typesOf(wide), typesOf(narrow)) ? [] : [`${at} has another type`]),
      ...(covers(list(wide.enum), list(narrow.enum)) ? [] : [`${at} has other values`]),
      ...(direction === "sent" ? limits({ was, is, at }) : []),
      ...demands(direction, { was, is, at }),
      ...Object.keys(from).flatMap((name) =>
        name in to ? schemas(direction, pairOf(from[name], to[name], `${at} .${name}`)) : [`${at} .${name} is gone`],
      ),
      ...(was.items && is.items ? schemas(direction, pairOf(was.items, is.items, `${at} []`)) : []),
    ];
  }
}

/** Resolves the reference of a schema and removes its alternative `null`. */
function resolved(document: Part, schema: Part): Part {
  if (typeof schema.$ref === "string") {
    const [, ...path] = schema.$ref.split("/");
    return resolved(document, part(path.reduce<unknown>((at, name) => part(at)[name], document)));
  }
  const alternatives = list(schema.anyOf).map((one) => resolved(document, part(one)));
  const [only, another] = alternatives.filter(({ type }) => type !== "null");
  if (!only || another) return schema;
  return { ...schema, ...only, type: alternatives.flatMap(({ type }) => type) };
}

const typesOf = ({ type }: Part): readonly unknown[] => {
  const types = Array.isArray(type) ? type : type === undefined ? [] : [type];
  return types.includes("number") ? [...types, "integer"] : types;
};

/** An empty list means any value. */
const covers = (wide: readonly unknown[], narrow: readonly unknown[]): boolean =>
  wide.length === 0 ||
  (narrow.length > 0 && narrow.every((value) => (value === "number" ? wide.includes("number") : wide.includes(value))));

/** Limits that have become narrower for callers. */
function limits({ was, is, at }: Pair): string[] {
  const number = (value: unknown, otherwise: number) => (typeof value === "number" ? value : otherwise);
  const least = ["minimum", "minLength", "minItems", "minProperties"];
  const most = ["maximum", "maxLength", "maxItems", "maxProperties"];
  return [
    ...least.filter((name) => number(is[name], -Infinity) > number(was[name], -Infinity)),
    ...most.filter((name) => number(is[name], Infinity) < number(was[name], Infinity)),
    ...["pattern", "format"].filter((name) => is[name] !== undefined && is[name] !== was[name]),
  ].map((name) => `${at} has a tighter ${name}`);
}

/** Properties that have become required in bodies, or optional in responses. */
function demands(direction: Direction, { was, is, at }: Pair): string[] {
  const [from, to] = direction === "sent" ? [was, is] : [is, was];
  const word = direction === "sent" ? "is required" : "may be missing";
  return list(to.required)
    .filter((name) => !list(from.required).includes(name))
    .filter((name) => direction === "sent" || String(name) in part(is.properties))
    .map((name) => `${at} .${String(name)} ${word}`);
}
