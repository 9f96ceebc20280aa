import { vi } from "vitest";

/** Checks again and again until the check passes, for so long that only a hang exceeds it on a busy machine. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 100_000 });
