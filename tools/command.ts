import { Command, CommanderError, InvalidArgumentError } from "commander";

/** A usage error of a command. */
export class UsageError extends Error {}

/**
 * Creates a command with the common help and error messages. @param name what a person types, such as `npm run token
 * --`
 */
export const command = (name: string, description: string): Command =>
  new Command(name).description(description).showSuggestionAfterError(false).exitOverride();

/**
 * Runs a command with the arguments of this process. An error is one line on stderr. The exit code is 2 for usage
 * errors and 1 for other failures. Only a bug of the script shows a stack trace.
 */
export async function run(program: Command): Promise<void> {
  try {
    await program.parseAsync();
  } catch (error) {
    // Commander has already printed help or the error.
    if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2);
    if (isDefect(error)) throw error;
    console.error(lineOf(error));
    process.exit(error instanceof UsageError ? 2 : 1);
  }
}

/** Returns a parser of integer option values. */
export const integer =
  (least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY) =>
  (text: string): number => {
    const value = Number(text);
    if (/^-?\d+$/.test(text) && Number.isSafeInteger(value) && value >= least && value <= most) return value;
    const bounds = [least > -Infinity ? `at least ${least}` : [], most < Infinity ? `at most ${most}` : []].flat();
    throw new InvalidArgumentError(`It must be an integer${bounds.length > 0 ? ` of ${bounds.join(" and ")}` : ""}.`);
  };

/** Parses the values of a repeatable option for web origins. */
export function origins(text: string, before: readonly string[]): readonly string[] {
  if (URL.canParse(text) && new URL(text).origin === text) return [...before, text];
  throw new InvalidArgumentError("It must be an origin, such as https://app.example.com.");
}

/** Parses a point in time with a time zone. */
export function time(text: string): Date {
  const value = new Date(text);
  if (/(?:Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(value.getTime())) return value;
  throw new InvalidArgumentError("It must be a time with a time zone, such as 2026-11-21T05:00:00Z.");
}

/** Whether an error is a bug of the script. `fetch` also throws a TypeError, with a cause. */
const isDefect = (error: unknown): boolean =>
  !(error instanceof Error) ||
  error instanceof ReferenceError ||
  error instanceof RangeError ||
  (error instanceof TypeError && error.cause === undefined);

/** Formats an error and its causes in one line. */
export function lineOf(error: unknown): string {
  const reasons: string[] = [];
  for (let cause = error; cause instanceof Error; cause = cause.cause) reasons.push(reasonOf(cause));
  return reasons.filter((reason, n) => !reasons.slice(0, n).some((earlier) => earlier.includes(reason))).join(": ");
}

type SystemError = Error & { readonly code?: unknown; readonly port?: unknown };

function reasonOf({ name, message, code, port, ...rest }: SystemError): string {
  if (code === "EADDRINUSE") return `Port ${String(port)} is in use`;
  const [line = ""] = message.split("\n");
  // Errors of AWS are distinguished by their names.
  if ("$metadata" in rest && name !== "Error") return `${name}: ${line}`;
  return line || (typeof code === "string" ? code : name);
}
