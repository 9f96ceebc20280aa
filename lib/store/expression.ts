/** An item, or a part of one: attributes by name. */
export type Item = Record<string, unknown>;

/**
 * A condition on the current item: whether it exists, or what its attributes are (`is`), are not (`not`) or do not exceed
 * (`atMost`). `undefined` stands for a missing attribute. `unless` holds if the item is missing or has other attributes.
 */
export type Condition =
  | "absent"
  | "exists"
  | { readonly is?: Item; readonly not?: Item; readonly atMost?: Readonly<Record<string, number>> }
  | { readonly unless: Item }
  | { readonly anyOf: readonly Condition[] };

/**
 * Builds expressions whose text is constant ASCII: every name is a placeholder `#n…` and every value `:v…`, so that no
 * input of a caller is part of the text.
 */
export function expressions() {
  const names: Record<string, string> = {};
  const values: Record<string, unknown> = {};
  const name = (attribute: string) => {
    const existing = Object.keys(names).find((placeholder) => names[placeholder] === attribute);
    const placeholder = existing ?? `#n${Object.keys(names).length}`;
    names[placeholder] = attribute;
    return placeholder;
  };
  const value = (operand: unknown) => {
    const placeholder = `:v${Object.keys(values).length}`;
    values[placeholder] = operand;
    return placeholder;
  };

  const compare = (sign: "=" | "<>" | "<=", attributes: Item = {}) =>
    Object.entries(attributes).map(([attribute, operand]) =>
      operand === undefined
        ? `attribute_${sign === "=" ? "not_" : ""}exists(${name(attribute)})`
        : `${name(attribute)} ${sign} ${value(operand)}`,
    );

  const condition = (when: Condition): string => {
    const absent = `attribute_not_exists(${name("pk")})`;
    const exists = `attribute_exists(${name("pk")})`;
    if (when === "absent") return absent;
    if (when === "exists") return exists;
    if ("anyOf" in when) return when.anyOf.map((alternative) => `(${condition(alternative)})`).join(" OR ");
    if ("unless" in when) return [absent, ...compare("<>", when.unless)].join(" OR ");
    return [exists, ...compare("=", when.is), ...compare("<>", when.not), ...compare("<=", when.atMost)].join(" AND ");
  };

  return {
    name,
    value,
    condition,

    /** A condition that every attribute has its value. Empty without attributes. */
    equal: (attributes: Item): string => compare("=", attributes).join(" AND "),

    /** Sets each attribute to its value, removes one that is undefined, and adds to numbers. */
    update(set: Item, add: Record<string, number> = {}): string {
      const defined = Object.entries(set).filter(([, to]) => to !== undefined);
      const removed = Object.keys(set).filter((attribute) => set[attribute] === undefined);
      const sets = defined.map(([attribute, to]) => `${name(attribute)} = ${value(to)}`);
      const sums = Object.entries(add).map(([attribute, by]) => `${name(attribute)} ${value(by)}`);
      const clause = (keyword: string, parts: string[]) => (parts.length > 0 ? [`${keyword} ${parts.join(", ")}`] : []);
      return [...clause("SET", sets), ...clause("REMOVE", removed.map(name)), ...clause("ADD", sums)].join(" ");
    },

    /** The names and values used so far, as parameters of a command. Left out if there are none. */
    placeholders: () => ({
      ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
      ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
    }),
  };
}
