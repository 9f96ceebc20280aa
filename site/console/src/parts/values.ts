import type { Value } from "./field.tsx";

export type Values = Readonly<Record<string, Value>>;
/** The values and version of the record with which a form was opened. */
export type Opened = { readonly values: Values; readonly etag?: string | undefined };

export const isSame = (one: Value | Values | undefined, other: Value | Values | undefined): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** The values that differ from those of another record. */
export const changesOf = (values: Values, base: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([name, value]) => !isSame(value, base[name])));

/** Whether a record has all changes. `false` if there are none. */
export const isSaved = (changed: Values, current: Values): boolean =>
  !isSame(changed, {}) && isSame(changesOf(changed, current), {});

export type Versions = { readonly base: Values; readonly mine: Values; readonly theirs: Values };

/** The other person's values, with the fields that this person changed. */
export const mergeOf = ({ base, mine, theirs }: Versions): Values =>
  Object.fromEntries(
    Object.keys(mine).map((name) => {
      const changed = isSame(mine[name], base[name]) ? theirs[name] : mine[name];
      return [name, changed ?? ""];
    }),
  );
