import type { Account } from "./account.ts";
import { newId } from "./objects/common.ts";
import type { Task } from "./state.ts";

type Without<T, K extends string> = T extends unknown ? Omit<T, K> : never;

/** Lets something happen when its time has come. A task checks then whether it is still to be done: none is taken back. */
export function schedule(account: Account, at: number, task: Without<Task, "id" | "at">): void {
  account.put("task", { ...task, id: newId("task"), at });
}

/** What falls due first, if its time has come. */
export function due(account: Account): Task | undefined {
  let first: Task | undefined;
  for (const task of account.rows("task")) if (!first || task.at < first.at) first = task;
  return first && first.at <= account.now() ? first : undefined;
}
