import { expect, it } from "vitest";
import { stopSignal } from "../../../client/cli/stop-signal.ts";

it.each([
  ["SIGINT", "SIGINT"],
  ["SIGTERM", "SIGINT"],
] as const)("a process that is stopped by %s ignores a %s that follows, but none after it", async (first, second) => {
  const listeners = () => process.listenerCount("SIGINT") + process.listenerCount("SIGTERM");
  const before = listeners();
  const stopped = stopSignal();
  process.emit(first);
  await stopped;
  expect(listeners()).toBe(before + 2);
  process.emit(second);
  expect(listeners()).toBe(before);
});
