import type * as v from "valibot";

type Schema = v.GenericSchema & {
  readonly entries?: Readonly<Record<string, Schema>>;
  readonly item?: Schema;
  readonly wrapped?: Schema;
  readonly value?: Schema;
  readonly literal?: unknown;
  readonly options?: readonly unknown[];
  readonly pipe?: readonly { readonly type?: string; readonly requirement?: unknown }[];
};

/** The value of each timestamp. */
const sampleTime = "2026-06-01T00:00:00.000Z";

const isTime = ({ pipe = [] }: Pick<Schema, "pipe">) =>
  pipe.some(({ requirement }) => requirement instanceof RegExp && requirement.test(sampleTime));

/**
 * A value of a schema in which each text names its place: `«charges[].failure_message»`. Nothing is null or missing. A schema
 * with variants has the variant of the index `variant`.
 */
export function sampleOf(schema: v.GenericSchema, { variant = 0, at = "" } = {}): unknown {
  const { type, entries, item, wrapped, value, literal, options = [], ...rest } = schema as Schema;
  const within = (part: v.GenericSchema, name: string) => sampleOf(part, { variant, at: `${at}${name}` });
  switch (type) {
    case "object":
    case "loose_object":
    case "strict_object":
      return Object.fromEntries(
        Object.entries(entries ?? {}).map(([name, part]) => [name, within(part, `${at === "" ? "" : "."}${name}`)]),
      );
    case "array":
      return item && [within(item, "[]")];
    case "nullable":
    case "optional":
    case "nullish":
      return wrapped && within(wrapped, "");
    case "variant":
    case "union":
      return within(options[variant % options.length] as Schema, "");
    case "picklist":
      return options[0];
    case "literal":
      return literal;
    case "record":
      return { [`«${at}{}»`]: value && within(value, "{}") };
    case "custom":
      return { [`«${at}{}»`]: `«${at}{}»` };
    case "unknown":
      return `«${at}»`;
    case "string":
      return isTime(rest) ? sampleTime : `«${at}»`;
    case "number":
      return 7;
    case "boolean":
      return true;
    default:
      throw new Error(`No sample of a schema of type ${type}`);
  }
}

/** The places that the texts of samples in a value name, each once. */
export const placesIn = (value: unknown): string[] =>
  [...new Set(Array.from(JSON.stringify(value).matchAll(/«([^»]*)»/g), ([, place = ""]) => place))].toSorted();
