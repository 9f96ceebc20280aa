import { link, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

export const lockName = "stack.lock";

/**
 * Keeps a folder of data to this process, from before anything of it is read or deleted. A lock whose process has ended
 * is taken over.
 *
 * @returns what releases it
 * @throws Error where another stack has the folder
 */
export async function lock(folder: string): Promise<() => Promise<void>> {
  const file = join(folder, lockName);
  for (;;) {
    // A link is made at once with its content, where a file that is written is empty for a moment.
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
