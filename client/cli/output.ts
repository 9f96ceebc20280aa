import { once } from "node:events";
import { open, rename, rm, stat } from "node:fs/promises";

type Write = (text: string) => Promise<void>;

/**
 * Writes text in parts to a file that only the user can read, or to standard output if there is none. The file gets its
 * name once it is complete, so that a failure leaves no part of it, and an earlier file as it was.
 */
export async function writeTo(file: string | undefined, writeAll: (write: Write) => Promise<void>): Promise<void> {
  if (file === undefined)
    return writeAll(async (text) => {
      if (!process.stdout.write(text)) await once(process.stdout, "drain");
    });
  const isDevice = await stat(file).then(
    (found) => !found.isFile(),
    () => false,
  );
  const part = isDevice ? file : `${file}.part`;
  const handle = await open(part, "w", 0o600);
  try {
    try {
      await writeAll((text) => handle.appendFile(text));
    } finally {
      await handle.close();
    }
    if (!isDevice) await rename(part, file);
  } catch (error) {
    if (!isDevice) await rm(part, { force: true });
    throw error;
  }
}
