/** The part of a valibot schema that is used here. */
export type Schema = {
  readonly type: string;
  readonly wrapped?: Schema;
  readonly entries?: Entries;
  readonly item?: Schema;
  /** The texts of a picklist. */
  readonly options?: readonly unknown[];
};
export type Entries = Readonly<Record<string, Schema>>;

/** A schema without `v.optional` and `v.nullable` around it. */
export const unwrapped = (schema: Schema): Schema => (schema.wrapped ? unwrapped(schema.wrapped) : schema);

/** Whether `v.nullable` is around a schema. */
export const isNullable = ({ type, wrapped }: Schema): boolean =>
  type === "nullable" || (wrapped !== undefined && isNullable(wrapped));
