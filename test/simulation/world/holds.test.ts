import { expect, it } from "vitest";
import { Timeline } from "../timeline.ts";
import { Holds, itemName } from "./holds.ts";

const read = new Set([itemName("MEMBER#1", "MEMBER"), "COMMUNITY#1"]);

/**
 * Holds a call of an invocation that has read `read`. Runs `act` after 10 milliseconds. Returns how long the call was
 * held, in milliseconds.
 */
async function releasedAt(act: (holds: Holds) => void): Promise<number> {
  const timeline = new Timeline(0);
  const holds = new Holds(timeline, 1);
  timeline.after(10, () => act(holds));
  await timeline.until(holds.wait("reader", read));
  return timeline.now;
}

it("a held call continues as soon as another invocation writes an item that the caller has read", async () => {
  expect(await releasedAt((holds) => holds.write("writer", () => holds.written("MEMBER#1", "MEMBER")))).toBe(11);
});

it("a held call continues as soon as another invocation writes an item of a partition that the caller has queried", async () => {
  expect(await releasedAt((holds) => holds.write("writer", () => holds.written("COMMUNITY#1", "TIER#2")))).toBe(11);
});

it("a held call continues after 1.5 seconds if only the caller itself writes, or other items are written", async () => {
  expect(await releasedAt((holds) => holds.write("reader", () => holds.written("MEMBER#1", "MEMBER")))).toBe(1501);
  expect(await releasedAt((holds) => holds.write("writer", () => holds.written("MEMBER#2", "MEMBER")))).toBe(1501);
});
