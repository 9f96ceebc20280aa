import { newId } from "./objects/common.ts";
import type { Task } from "./state.ts";
import type { World } from "./world.ts";

type Without<T, K extends string> = T extends unknown ? Omit<T, K> : never;

/** Lets something happen when its time has come. A task checks then whether it is still to be done: none is taken back. */
export function schedule(world: World, at: number, task: Without<Task, "id" | "at">): void {
  world.put("task", { ...task, id: newId("task"), at });
}

/** What falls due first, if its time has come. */
export function due(world: World): Task | undefined {
  let first: Task | undefined;
  for (const task of world.rows("task")) if (!first || task.at < first.at) first = task;
  return first && first.at <= world.now() ? first : undefined;
}
