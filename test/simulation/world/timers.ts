import { machine } from "#lib/runtime.ts";
import { currentInvocation } from "./invocation.ts";

/**
 * Runs the timers of code in an invocation in virtual time, such as the wait of Stripe's SDK before a retry. @returns a
 * function that restores the timers
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

/** Replaces the random source of code in an invocation by that of the invocation, for example for sealing secrets. */
export function useSeededMachine(): void {
  const { random } = machine;
  Object.assign(machine, { random: () => (currentInvocation()?.runtime.random ?? random)() });
}
