/** An item, or a part of one: attributes by name. */
export type Item = Record<string, unknown>;

/**
 * What must hold of the item as it stands: that it is there or not, or what its attributes are (undefined is none), are
 * not, or are at most. `unless` holds where there is no item with these attributes, so also where there is none at all.
 */
export type Condition =
  | "absent"
  | "exists"
  | { readonly is?: Item; readonly not?: Item; readonly atMost?: Readonly<Record<string, number>> }
  | { readonly unless: Item }
  | { readonly anyOf: readonly Condition[] };

/**
 * Builds expressions whose text is constant ASCII: every name is `#n…`, every value `:v…`, nothing of a caller's
 * ever stands in the text itself.
 */
export function expressions() {
  const names: Record<string, string> = {};
  const values: Record<string, unknown> = {};
  const name = (attribute: string) => {
    const known = Object.keys(names).find((placeholder) => names[placeholder] === attribute);
    const placeholder = known ?? `#n${Object.keys(names).length}`;
    names[placeholder] = attribute;
    return placeholder;
  };
  const value = (given: unknown) => {
    const placeholder = `:v${Object.keys(values).length}`;
    values[placeholder] = given;
    return placeholder;
  };

  const compare = (sign: "=" | "<>" | "<=", attributes: Item = {}) =>
    Object.entries(attributes).map(([attribute, given]) =>
      given === undefined
        ? `attribute_${sign === "=" ? "not_" : ""}exists(${name(attribute)})`
        : `${name(attribute)} ${sign} ${value(given)}`,
    );

  const condition = (when: Condition): string => {
    const absent = `attribute_not_exists(${name("pk")})`;
    const exists = `attribute_exists(${name("pk")})`;
    if (when === "absent") return absent;
    if (when === "exists") return exists;
    if ("anyOf" in when) return when.anyOf.map((one) => `(${condition(one)})`).join(" OR ");
    if ("unless" in when) return [absent, ...compare("<>", when.unless)].join(" OR ");
    return [exists, ...compare("=", when.is), ...compare("<>", when.not), ...compare("<=", when.atMost)].join(" AND ");
  };

  return {
    name,
    value,
    condition,

    /** Every attribute has its value; empty where there is none to compare. */
    equal: (attributes: Item): string => compare("=", attributes).join(" AND "),

    /** Sets each attribute to its value, removes one that is undefined, and adds to numbers. */
    update(set: Item, add: Record<string, number> = {}): string {
      const given = Object.entries(set).filter(([, to]) => to !== undefined);
      const gone = Object.keys(set).filter((attribute) => set[attribute] === undefined);
      const sets = given.map(([attribute, to]) => `${name(attribute)} = ${value(to)}`);
      const sums = Object.entries(add).map(([attribute, by]) => `${name(attribute)} ${value(by)}`);
      const clause = (keyword: string, parts: string[]) => (parts.length > 0 ? [`${keyword} ${parts.join(", ")}`] : []);
      return [...clause("SET", sets), ...clause("REMOVE", gone.map(name)), ...clause("ADD", sums)].join(" ");
    },

    /** The names and values used so far, in the shape that commands take; absent where there are none. */
    placeholders: () => ({
      ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
      ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
    }),
  };
}
