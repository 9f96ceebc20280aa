import type { Issue } from "../problem.ts";

/** The part of a valibot schema that is used here. */
type Schema = {
  readonly type: string;
  readonly entries?: Readonly<Record<string, Schema>>;
  readonly wrapped?: Schema;
  readonly item?: Schema;
  readonly options?: readonly (Schema | string)[];
};

const objects = new Set(["object", "strict_object", "loose_object", "custom"]);

/** Property names that every object inherits. Valibot does not report them as unknown. */
const inherited = ["__proto__", "constructor"];

/** Issues that valibot does not report: lists in place of objects, and properties with inherited names. */
export function structureIssues(schema: Schema, input: unknown, at = ""): (Issue & { readonly pointer: string })[] {
  const { type, entries = {}, wrapped, item, options = [] } = schema;
  if (wrapped) return structureIssues(wrapped, input, at);
  if (objects.has(type)) {
    if (Array.isArray(input)) return [notAnObject(at)];
    const properties = new Map(typeof input === "object" && input !== null ? Object.entries(input) : []);
    const unknown = type === "strict_object" ? inherited.filter((name) => properties.has(name)) : [];
    return [
      ...unknown.map((name) => ({ pointer: `${at}/${name}`, ...unknownProperty })),
      ...Object.entries(entries).flatMap(([name, entry]) =>
        structureIssues(entry, properties.get(name), `${at}/${name}`),
      ),
    ];
  }
  if (!Array.isArray(input)) return [];
  if (item) return input.flatMap((element, n) => structureIssues(item, element, `${at}/${n}`));
  const schemas = options.filter((option) => typeof option === "object");
  return schemas.length > 0 && schemas.every((option) => objects.has(option.type)) ? [notAnObject(at)] : [];
}

const notAnObject = (pointer: string) => ({ pointer, code: "wrong_type", message: "must be an object" }) as const;

export const unknownProperty = { code: "unknown_property", message: "is not a property of this request" } as const;
