import { link, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

export const lockName = "stack.lock";

/**
 * Locks a folder of data for this process, before anything in it is read or deleted. Takes over the lock of a process
 * that has ended.
 *
 * @returns a function that releases the lock
 * @throws Error if another stack has the lock
 */
export async function lock(folder: string): Promise<() => Promise<void>> {
  const file = join(folder, lockName);
  for (;;) {
    // A link appears together with its content. A new file would be empty for a moment.
    const own = `${file}.${process.pid}`;
    await writeFile(own, String(process.pid));
    const isTaken = await link(own, file).then(() => false, isExisting);
    await rm(own, { force: true });
    if (!isTaken) return () => rm(file, { force: true });
    const pid = Number(await readFile(file, "utf8").catch(() => ""));
    if (isAlive(pid)) throw new Error(await refusal(folder, pid));
    await rm(file, { force: true });
  }
}

function isExisting(error: NodeJS.ErrnoException): true {
  if (error.code === "EEXIST") return true;
  throw error;
}

async function refusal(folder: string, pid: number): Promise<string> {
  const text = await readFile(join(folder, "local.json"), "utf8").catch(() => "{}");
  const { api_url: url } = JSON.parse(text) as { api_url?: string };
  return `A stack is already running with this data: ${url ?? `process ${pid}, which is starting`}`;
}

function isAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
