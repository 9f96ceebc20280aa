import { readFile, rm, writeFile } from "node:fs/promises";
import { UsageError } from "./failures.ts";

/**
 * Creates a lock file that no other process can have at the same time, and removes it at the end of its scope. A process that is
 * killed leaves the file: the next one takes it over.
 *
 * @param work what is said to be running if the file is taken
 * @throws UsageError while a process that is running has the file
 */
export async function lockOf(path: string, work: string): Promise<AsyncDisposable> {
  for (;;) {
    try {
      await writeFile(path, String(process.pid), { flag: "wx" });
      return { [Symbol.asyncDispose]: () => rm(path, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const holder = Number.parseInt(await readFile(path, "utf8").catch(() => ""), 10);
    // In containers, each run may get the id that the killed one had.
    if (holder !== process.pid && isRunning(holder))
      throw new UsageError(`${work} is running already. If not, delete ${path}`);
    await rm(path, { force: true });
  }
}

/** Whether a process exists. An unreadable id may be one that is just being written. */
function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}
