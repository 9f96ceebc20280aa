/** What an operator says for one deployment. */
export type Recovery = {
  /** Whether everything stands still: no request, schedule, sign-in or change of the stream is worked on. */
  readonly maintenance: boolean;
};

/**
 * From the context of the CDK: `-c maintenance=true`.
 *
 * @throws Error for another value, and for context that once named a restored table: a stack that ignored it would return to
 *   its own table
 */
export function recoveryFrom(context: (name: string) => unknown): Recovery {
  const [maintenance = "false", table, stream] = ["maintenance", "table", "stream"].map(context);
  if (!["true", "false", true, false].includes(maintenance as string)) throw new Error("Use -c maintenance=true");
  if (table !== undefined || stream !== undefined)
    throw new Error("A restored table is the setting table of stages/<stage>.json, not context of the CDK");
  return { maintenance: String(maintenance) === "true" };
}
