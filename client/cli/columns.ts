import { type Entries, unwrapped } from "./schema.ts";

/** A column of a CSV file: a field of a record, or a field of an object within it. */
export type Column = {
  /** `status`, or `user_email` for the field `email` of `user`. */
  readonly name: string;
  readonly path: readonly string[];
  /** Text as it is, or the JSON of a value of another type. */
  readonly as: "text" | "json";
  /**
   * Whether an empty cell is an empty text if another cell of the same object is not empty. Otherwise the field is
   * omitted.
   */
  readonly isKept: boolean;
};

/**
 * The columns of a record, in the order of its schema. A nested strict object has one column for each of its fields.
 */
export const columnsOf = (entries: Entries, parents: readonly string[] = []): Column[] =>
  Object.entries(entries).flatMap(([name, entry]) => {
    const path = [...parents, name];
    const schema = unwrapped(entry);
    if (schema.type === "strict_object" && schema.entries) return columnsOf(schema.entries, path);
    const isText = schema.type === "string" || schema.type === "picklist";
    const isKept = isText && parents.length > 0 && entry.type !== "optional";
    return { name: path.join("_"), path, as: isText ? "text" : "json", isKept };
  });
