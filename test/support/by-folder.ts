import { relative, sep } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

/** Reports the number of passed tests in each folder of `test` and `packages`, and the table engine. */
export class ByFolder implements Reporter {
  readonly #engine: string;

  constructor(engine: string) {
    this.#engine = engine;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const passed = new Map<string, number>();
    for (const { moduleId, children } of modules) {
      const folder = relative("", moduleId).split(sep)[1] ?? "";
      passed.set(folder, (passed.get(folder) ?? 0) + [...children.allTests("passed")].length);
    }
    const counts = Array.from(passed, ([folder, count]) => `${folder} ${count}`).toSorted();
    if (counts.length > 0) console.log(`\n Passed on ${this.#engine}: ${counts.join(", ")}\n`);
  }
}
