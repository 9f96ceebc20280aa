/** What is looked at of a valibot schema. */
type Schema = {
  readonly type: string;
  readonly entries?: Readonly<Record<string, Schema>>;
  readonly wrapped?: Schema;
  readonly item?: Schema;
  readonly options?: readonly (Schema | string)[];
};

const objects = new Set(["object", "strict_object", "loose_object", "record"]);

/** The JSON Pointers of lists that stand where an object should, and which valibot would take for one. */
export function misplacedLists(schema: Schema, input: unknown, at = ""): string[] {
  const { type, entries = {}, wrapped, item, options = [] } = schema;
  if (wrapped) return misplacedLists(wrapped, input, at);
  if (objects.has(type)) {
    if (Array.isArray(input)) return [at];
    const given = new Map(typeof input === "object" && input !== null ? Object.entries(input) : []);
    return Object.entries(entries).flatMap(([name, entry]) => misplacedLists(entry, given.get(name), `${at}/${name}`));
  }
  if (!Array.isArray(input)) return [];
  if (item) return input.flatMap((one, n) => misplacedLists(item, one, `${at}/${n}`));
  const schemas = options.filter((option) => typeof option === "object");
  return schemas.length > 0 && schemas.every((option) => objects.has(option.type)) ? [at] : [];
}
