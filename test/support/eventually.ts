import { vi } from "vitest";

/** Repeats a check until it passes. The timeout is long enough for a busy machine, so that only a hang exceeds it. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 100_000 });
