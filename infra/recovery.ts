/** What an operator says for one deployment. */
export type Recovery = {
  /** Whether everything stands still: no request, schedule, sign-in or change of the stream is worked on. */
  readonly maintenance: boolean;
  /** A restored table that is used in place of the stack's own. */
  readonly restored?: { readonly tableName: string; readonly streamArn: string };
};

/**
 * From the context of the CDK: `-c maintenance=true`, and `-c table=<name> -c stream=<ARN>`.
 *
 * @throws Error for another value
 */
export function recoveryFrom(context: (name: string) => unknown): Recovery {
  const [maintenance = "false", tableName, streamArn] = ["maintenance", "table", "stream"].map(context);
  if (!["true", "false", true, false].includes(maintenance as string)) throw new Error("Use -c maintenance=true");
  const isClosed = { maintenance: String(maintenance) === "true" };
  if (tableName === undefined && streamArn === undefined) return isClosed;
  if (
    typeof tableName !== "string" ||
    typeof streamArn !== "string" ||
    !streamArn.includes(`:table/${tableName}/stream/`)
  )
    throw new Error("Use -c table=<name> together with -c stream=<ARN of its stream>");
  return { ...isClosed, restored: { tableName, streamArn } };
}
