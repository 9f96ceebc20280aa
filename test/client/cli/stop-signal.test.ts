import { expect, it } from "vitest";
import { stopSignal } from "../../../client/cli/stop-signal.ts";

it.each([
  ["SIGINT", "SIGINT"],
  ["SIGTERM", "SIGINT"],
  ["SIGHUP", "SIGHUP"],
] as const)("a process that is stopped by %s ignores a %s that follows, but none after it", async (first, second) => {
  const listeners = () =>
    ["SIGINT", "SIGTERM", "SIGHUP"].reduce((sum, signal) => sum + process.listenerCount(signal), 0);
  const before = listeners();
  const stopped = stopSignal();
  process.emit(first);
  await stopped;
  expect(listeners()).toBe(before + 3);
  process.emit(second);
  expect(listeners()).toBe(before);
});
