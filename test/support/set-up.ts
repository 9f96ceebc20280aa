import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";

/**
 * Creates a value before the tests of a file, or of the enclosing `describe` block. Only hooks and tests can read it.
 */
export function setUp<Made extends object>(make: () => Promise<Made>): Made {
  let made: Made | undefined;
  beforeAll(async () => {
    made = await make();
  });
  const record = (): Made => {
    if (!made) throw new Error("Only hooks and tests can use it: it is made by a hook");
    return made;
  };
  return new Proxy({} as Made, {
    get: (_, name) => record()[name as keyof Made],
    has: (_, name) => Reflect.has(record(), name),
    ownKeys: () => Reflect.ownKeys(record()),
    getOwnPropertyDescriptor(_, name) {
      const descriptor = Reflect.getOwnPropertyDescriptor(record(), name);
      return descriptor && { ...descriptor, configurable: true };
    },
  });
}

/** Creates a folder for a test file. The folder is removed after the tests. @returns its path */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "odis-test-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
