import type { Account } from "./account.ts";
import type { Task } from "./state.ts";

type Without<T, K extends string> = T extends unknown ? Omit<T, K> : never;

/** Schedules a task. Tasks are never canceled. A due task checks whether it still applies. */
export function schedule(account: Account, at: number, task: Without<Task, "id" | "at">): void {
  account.put("task", { ...task, id: account.newId("task"), at });
}

/** Returns the next due task. Among tasks with the same time, returns the one that was scheduled first. */
export function due(account: Account): Task | undefined {
  const next = nextTask(account);
  return next && next.at <= account.now() ? next : undefined;
}

export const nextDueAt = (account: Account): number | undefined => nextTask(account)?.at;

function nextTask(account: Account): Task | undefined {
  let next: Task | undefined;
  for (const task of account.rows("task")) if (!next || task.at < next.at) next = task;
  return next;
}
