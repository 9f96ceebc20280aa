import { backOff } from "../runtime.ts";
import { Conflict } from "./failure.ts";
import type { Reader } from "./table.ts";

const attempts = 5;

/**
 * Repeats work that reads, decides and writes where another writer was faster or a new id was taken, five times at most.
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
