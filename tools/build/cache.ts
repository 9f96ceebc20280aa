import { homedir } from "node:os";
import { join } from "node:path";

/** Folder outside the repository for downloads that tests keep between runs. */
export const cached = (name: string): string =>
  join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "odis", name);
