/**
 * Field tables. A table declares for each field of a record: how it is stored, its value in older items, which writes
 * may set it, which outputs show it, and what an erasure does to it. A field that lacks one of these does not compile.
 * `tier.ts` is the shortest example.
 */
import * as v from "valibot";

/** A field that is stored under its name. */
type StoredField = {
  /** Schema of the stored value. */
  readonly stored: v.GenericSchema;
  /**
   * The value for new records, and for items that were stored before the field existed. `undefined` makes the field
   * optional. Required for fields that the oldest item lacks.
   */
  readonly before?: unknown;
  /** The writes that may set the field. */
  readonly set: readonly string[];
  /** The outputs that show the field under its name, such as the API or events. */
  readonly shown: readonly string[];
  /** Schema of the shown value, if it differs from `stored`. */
  readonly as?: v.GenericSchema;
  /**
   * Whether the field holds personal data. An id is not personal. `erased` is the value after an erasure; the field is
   * not written afterwards. `reduced` removes the personal part of a value that is kept and may still be written.
   */
  readonly personal: false | { readonly erased: unknown } | { readonly reduced: unknown };
};

/** A field that is not stored but computed when the record is shown. */
type MadeField = { readonly made: v.GenericSchema; readonly shown: readonly string[] };

export type Fields = Readonly<Record<string, StoredField | MadeField>>;

/** The names that the field table of a record may use. */
type Terms = {
  /** Names of the attributes that an item of the first release has: `keyof typeof oldest`. */
  readonly oldest: string;
  /** Names of the writes of the record. */
  readonly set: string;
  /** Names of the outputs that show the record. A field shown in `event` cannot be personal. */
  readonly shown: string;
};

/** A value, or a function that computes it from the stored value. */
type Made<Value> = Value | ((value: Value) => Value);

type ForOlderItems<F extends StoredField> = { readonly before: v.InferOutput<F["stored"]> | undefined };

type Rule<T extends Terms, Name, F> = F extends StoredField
  ? {
      readonly set: readonly T["set"][];
      readonly shown: readonly T["shown"][];
      readonly personal: "event" extends F["shown"][number]
        ? false
        :
            | false
            | { readonly erased: Made<v.InferOutput<F["stored"]>> }
            | { readonly reduced: (value: v.InferOutput<F["stored"]>) => v.InferOutput<F["stored"]> };
    } & (Name extends T["oldest"] ? Partial<ForOlderItems<F>> : ForOlderItems<F>)
  : { readonly shown: readonly T["shown"][] };

/**
 * Defines the fields of a record, in the order in which the API shows them: `defineFields<Terms>()({ … })`. The
 * parameter of a function, as in `erased`, needs a type annotation.
 */
// @__NO_SIDE_EFFECTS__
export const defineFields =
  <T extends Terms>() =>
  // @__NO_SIDE_EFFECTS__
  <const F extends Fields>(fields: F & { readonly [Name in keyof F]: Rule<T, Name, F[Name]> }): F =>
    fields;

/** Names of the fields that any of the given writes may set. */
export type SetBy<F extends Fields, Write extends string> = keyof {
  [Name in keyof F as F[Name] extends { readonly set: readonly (infer W)[] }
    ? Write & W extends never
      ? never
      : Name
    : never]: 1;
};

/** Names of the fields that any of the given outputs shows. */
export type ShownIn<F extends Fields, Place extends string> = keyof {
  [Name in keyof F as Place & F[Name]["shown"][number] extends never ? never : Name]: 1;
};

/** Names of the fields that hold personal data. */
export type PersonalIn<F extends Fields> = keyof {
  [Name in keyof F as F[Name] extends { readonly personal: object } ? Name : never]: 1;
};

/** Names of the personal fields that an erasure overwrites and that are never written again. */
export type ErasedIn<F extends Fields> = keyof {
  [Name in keyof F as F[Name] extends { readonly personal: { readonly erased: unknown } } ? Name : never]: 1;
};

/**
 * The required entries of a request body's schema: one for each field that the write may set, and no others. Use this
 * type with `satisfies`.
 */
export type EntriesSetBy<F extends Fields, Write extends string> = {
  readonly [Name in SetBy<F, Write>]: F[Name] extends { readonly stored: infer S extends v.GenericSchema }
    ? v.GenericSchema<unknown, v.InferOutput<S> | undefined>
    : never;
};

type StoredEntries<F extends Fields> = {
  readonly [Name in keyof F as F[Name] extends StoredField ? Name : never]: F[Name] extends {
    readonly stored: infer S extends v.GenericSchema;
  }
    ? F[Name] extends { readonly before: infer Before }
      ? v.OptionalSchema<S, undefined extends Before ? undefined : v.InferOutput<S>>
      : S
    : never;
};

type ShownEntries<F extends Fields, Place extends string> = {
  readonly [Name in ShownIn<F, Place>]: F[Name] extends { readonly as: infer S extends v.GenericSchema }
    ? S
    : F[Name] extends { readonly made: infer S extends v.GenericSchema }
      ? S
      : F[Name] extends { readonly stored: infer S extends v.GenericSchema }
        ? S
        : never;
};

/** A record as it is stored. */
export type Stored<F extends Fields> = v.InferOutput<v.ObjectSchema<StoredEntries<F>, undefined>>;

/** Entries of the schema that parses stored items. */
// @__NO_SIDE_EFFECTS__
export const storedEntries = <F extends Fields>(fields: F): StoredEntries<F> =>
  entriesOf(fields, (field) => {
    if (!("stored" in field)) return undefined;
    return "before" in field ? v.optional(field.stored, field.before) : field.stored;
  }) as StoredEntries<F>;

/** Entries of the schema of an output. */
// @__NO_SIDE_EFFECTS__
export const shownEntries = <F extends Fields, const Place extends string>(
  fields: F,
  place: Place,
): ShownEntries<F, Place> =>
  entriesOf(fields, (field) => {
    if (!field.shown.includes(place)) return undefined;
    return "made" in field ? field.made : (field.as ?? field.stored);
  }) as ShownEntries<F, Place>;

/** Names of the fields that any of the given outputs shows. */
// @__NO_SIDE_EFFECTS__
export const shownIn = <F extends Fields, const Place extends string>(
  fields: F,
  ...places: readonly Place[]
): ShownIn<F, Place>[] => namesOf(fields, ({ shown }) => places.some((place) => shown.includes(place)));

/** Names of the fields that a write may set. */
// @__NO_SIDE_EFFECTS__
export const setBy = <F extends Fields, const Write extends string>(fields: F, write: Write): SetBy<F, Write>[] =>
  namesOf(fields, (field) => "set" in field && field.set.includes(write));

/**
 * The `before` values of all fields, for new records and for older items. Do not modify: every call returns the same
 * objects.
 */
// @__NO_SIDE_EFFECTS__
export const valuesBefore = <F extends Fields>(fields: F): ValuesBefore<F> =>
  entriesOf(fields, (field) => ("before" in field ? field.before : undefined)) as ValuesBefore<F>;

type ValuesBefore<F extends Fields> = {
  readonly [Name in keyof F as F[Name] extends { readonly before: infer Before }
    ? undefined extends Before
      ? never
      : Name
    : never]: F[Name] extends { readonly stored: infer S extends v.GenericSchema } ? v.InferOutput<S> : never;
};

/** The attributes that an erasure sets in a stored record. */
export const erasedValues = (
  fields: Fields,
  record: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> =>
  entriesOf(fields, (field, name) => {
    const value = record[name];
    if (!("stored" in field) || field.personal === false || value === undefined) return undefined;
    const left = "erased" in field.personal ? field.personal.erased : field.personal.reduced;
    return typeof left === "function" ? (left as (value: unknown) => unknown)(value) : left;
  });

/** Returns a copy of the record as it is after an erasure. */
export const erasedRecord = <R extends Readonly<Record<string, unknown>>>(fields: Fields, record: R): R => ({
  ...record,
  ...erasedValues(fields, record),
});

const namesOf = <Name>(fields: Fields, has: (field: StoredField | MadeField) => boolean): Name[] =>
  Object.entries(fields).flatMap(([name, field]) => (has(field) ? [name as Name] : []));

/** Calls `make` for each field. Returns the results by field name, without undefined ones. */
function entriesOf<T>(
  fields: Fields,
  make: (field: StoredField | MadeField, name: string) => T | undefined,
): Record<string, T> {
  const made: Record<string, T> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = make(field, name);
    if (value !== undefined) made[name] = value;
  }
  return made;
}
