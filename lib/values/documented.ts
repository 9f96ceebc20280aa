/** An example of a value, as JSON. */
export type Example = null | boolean | number | string | readonly Example[] | { readonly [name: string]: Example };

/** The documentation of a field: a sentence, and an example unless one follows from the schema. */
export type FieldDoc = string | readonly [description: string, example: Example];

type WithEntries = { readonly entries: Readonly<Record<string, unknown>> };
type FieldDocs<S extends WithEntries> = { readonly [Name in keyof S["entries"]]: FieldDoc };

const registry = new WeakMap<object, Readonly<Record<string, FieldDoc>>>();

/** The schema itself, without the checks and transformations that follow it in a pipe. */
const unpiped = (schema: object): object => {
  const [first] = "pipe" in schema ? (schema.pipe as readonly object[]) : [];
  return first ? unpiped(first) : schema;
};

/**
 * Registers the documentation of each field of an object schema. Called in files named `*-docs.ts`, which no function
 * imports, so that no bundle contains the texts. `lib/contract/descriptions.ts` loads these files.
 */
export function describeFields<S extends WithEntries>(schema: S, fields: FieldDocs<NoInfer<S>>): void {
  registry.set(unpiped(schema), fields);
}

const jsonSchemas = new WeakMap<object, object>();

/** Registers the JSON Schema of a value that code checks. Called in `*-docs.ts` files, like `describeFields`. */
export const describeValue = (schema: object, json: object): void => void jsonSchemas.set(schema, json);

/** The JSON Schema that `describeValue` has registered. */
export const jsonSchemaOf = (schema: object): object | undefined => jsonSchemas.get(schema);

/** The documentation of an object schema's fields. Empty if there is none. */
export const docsOf = (schema: object): Readonly<Record<string, FieldDoc>> => registry.get(unpiped(schema)) ?? {};
