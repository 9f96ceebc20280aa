import { homedir } from "node:os";
import { join } from "node:path";

/** Where what a tier of tests has fetched is kept between runs, outside the repository. */
export const cached = (name: string): string =>
  join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "odis", name);
