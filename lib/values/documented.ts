/** An example of a value, as JSON. */
export type Example = null | boolean | number | string | readonly Example[] | { readonly [name: string]: Example };

/** What the API's documents say of a field: a sentence, and an example unless one follows from the field's schema. */
export type FieldDoc = string | readonly [description: string, example: Example];

type WithEntries = { readonly entries: Readonly<Record<string, unknown>> };
type FieldDocs<S extends WithEntries> = { readonly [Name in keyof S["entries"]]: FieldDoc };

const registry = new WeakMap<object, Readonly<Record<string, FieldDoc>>>();

/**
 * An object schema, with what the API's documents say of each of its fields. Only the documents read it: the build puts
 * the schema alone into functions, and nothing into what is named `…Docs` (`tools/build/drop-docs.ts`).
 */
export function documented<S extends WithEntries>(schema: S, fields: FieldDocs<NoInfer<S>>): S {
  registry.set(schema, fields);
  return schema;
}

/** What the documents say of the fields of an object schema; nothing where it is not documented. */
export const docsOf = <S extends WithEntries>(schema: S): FieldDocs<S> => (registry.get(schema) ?? {}) as FieldDocs<S>;
