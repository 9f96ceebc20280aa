import { AsyncLocalStorage } from "node:async_hooks";

/** Functions that run because of a change and not within the act that has caused it. */
export const triggerNames = ["webhook", "projections", "events", "deliver"] as const;
export type TriggerName = (typeof triggerNames)[number];

/** What reads or writes an item: a run of an act, such as `support.cancel`, or of a trigger. */
export type Cause = { readonly name: string; readonly run: string };

const current = new AsyncLocalStorage<Cause>();

/** Runs work on behalf of a cause. */
export const actFor = <T>(cause: Cause, work: () => T): T => current.run(cause, work);

export const currentCause = (): Cause | undefined => current.getStore();

/** The cause of an invocation that starts now. A trigger does not act for the act in which it was started. */
export function causeOf(invocation: string): Cause {
  const name = triggerNames.find((trigger) => invocation.startsWith(`${trigger}-`));
  return (name === undefined ? currentCause() : undefined) ?? { name: name ?? invocation, run: invocation };
}
