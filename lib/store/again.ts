import { backOff } from "../runtime.ts";
import { Conflict } from "./failure.ts";
import type { Reader } from "./table.ts";

const attempts = 5;

/**
 * Runs work that reads, decides and writes. Repeats it after a conflict with another writer, up to five attempts.
 *
 * @throws Conflict
 */
export async function decideAgain<T>({ runtime }: Pick<Reader, "runtime">, work: () => Promise<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Conflict) || tried === attempts) throw error;
      await backOff(runtime, tried);
    }
  }
}
