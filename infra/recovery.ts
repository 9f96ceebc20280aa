/** Options of an operator for one deployment. */
export type Recovery = {
  /** Whether the stack is in maintenance: it handles no requests, schedules, sign-ins or stream records. */
  readonly maintenance: boolean;
};

/**
 * Reads the options from the CDK context, such as `-c maintenance=true`.
 *
 * @throws Error for an invalid value, and for the former context of a restored table: ignoring it would return the stack to
 *   its own table
 */
export function recoveryFrom(context: (name: string) => unknown): Recovery {
  const [maintenance = "false", table, stream] = ["maintenance", "table", "stream"].map(context);
  if (!["true", "false", true, false].includes(maintenance as string)) throw new Error("Use -c maintenance=true");
  if (table !== undefined || stream !== undefined)
    throw new Error("A restored table is the setting table of stages/<stage>.json, not context of the CDK");
  return { maintenance: String(maintenance) === "true" };
}
