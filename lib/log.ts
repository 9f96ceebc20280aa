/** One structured line about a failure, with what caused it. Never a body, a token, an address or an e-mail. */
export function logError(error: Error, fields: Record<string, unknown>): void {
  console.error(JSON.stringify({ level: "error", ...fields, error: describe(error) }));
}

function describe(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { thrown: typeof error };
  const { name, message, stack, cause } = error;
  return { name, message, stack, ...(cause !== undefined && { cause: describe(cause) }) };
}
