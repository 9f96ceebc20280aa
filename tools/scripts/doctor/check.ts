import { lineOf } from "../../command.ts";
import type { CheckedStack } from "./stack.ts";

/** Something that is wrong, in a sentence, and the command that mends it. */
export type Fault = { readonly says: string; readonly command: string };

/** A part of a stage. Parts that need different permissions are different checks. */
export type Check = {
  readonly name: string;
  /** Whether the local stack has this part. */
  readonly isLocal?: true;
  /** Returns what is wrong. Throws if it cannot look. */
  readonly look: (stack: CheckedStack) => Promise<readonly Fault[]>;
};

/** Result of a check: its faults, or why it could not look. */
export type Outcome = {
  readonly check: string;
  readonly faults: readonly Fault[];
  readonly unchecked?: string;
};

/** Makes all checks at the same time. A check that fails does not affect the others. */
export const examine = (checks: readonly Check[], stack: CheckedStack): Promise<Outcome[]> =>
  Promise.all(
    checks.map(async ({ name: check, look }) => {
      try {
        return { check, faults: await look(stack) };
      } catch (error) {
        return { check, faults: [], unchecked: lineOf(error) };
      }
    }),
  );

/** Exit code: 1 if something is wrong, 2 if a check could not look, and 0 if all is well. */
export function exitCodeOf(outcomes: readonly Outcome[]): number {
  if (outcomes.some(({ faults }) => faults.length > 0)) return 1;
  return outcomes.some(({ unchecked }) => unchecked !== undefined) ? 2 : 0;
}

/** Formats each fault and each check that could not look as a line, and a last line with the sums. */
export function linesOf(outcomes: readonly Outcome[]): string[] {
  const faulty = outcomes.flatMap(({ check, faults }) =>
    faults.map(({ says, command }) => `WRONG  ${check}: ${says} Run: ${command}`),
  );
  const unchecked = outcomes.flatMap(({ check, unchecked: reason }) =>
    reason === undefined ? [] : [`?      ${check}: could not be checked: ${reason}`],
  );
  const sums = `${outcomes.length} checks: ${faulty.length || "no"} faults, ${unchecked.length || "none"} could not be checked`;
  return [...faulty, ...unchecked, sums];
}
