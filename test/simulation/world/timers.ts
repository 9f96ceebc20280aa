import { machine } from "#lib/runtime.ts";
import { currentInvocation } from "./invocation.ts";

/**
 * Runs the timers of code in an invocation on its timeline: Stripe's SDK waits with one before a retry.
 *
 * @returns what undoes it
 */
export function useVirtualTimers(): () => void {
  const { setTimeout: ofMachine } = globalThis;
  const virtual = (run: (...given: unknown[]) => void, milliseconds = 0, ...given: unknown[]) => {
    const invocation = currentInvocation();
    if (!invocation) return ofMachine(run, milliseconds, ...given);
    void invocation.runtime.wait(milliseconds).then(() => run(...given));
    return undefined;
  };
  globalThis.setTimeout = virtual as typeof setTimeout;
  return () => {
    globalThis.setTimeout = ofMachine;
  };
}

/** Draws what code in an invocation takes from the machine's chance from that of the invocation: what seals a secret. */
export function useSeededMachine(): void {
  const { random } = machine;
  Object.assign(machine, { random: () => (currentInvocation()?.runtime.random ?? random)() });
}
