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
  await timeline.until(holds.wait("reader", read, { writes: ["TIER#1 TIER"], during: "s1" }));
  return timeline.now;
}

it("a held call continues as soon as another invocation writes an item that the caller has read", async () => {
  expect(
    await releasedAt((holds) => holds.write("writer", () => holds.written(itemName("MEMBER#1", "MEMBER"), "MEMBER#1"))),
  ).toBe(11);
});

it("a held call continues as soon as another invocation writes an item of a partition that the caller has queried", async () => {
  expect(
    await releasedAt((holds) =>
      holds.write("writer", () => holds.written(itemName("COMMUNITY#1", "TIER#2"), "COMMUNITY#1")),
    ),
  ).toBe(11);
});

it("a held call can continue later than the write of the other invocation", async () => {
  const timeline = new Timeline(0);
  const holds = new Holds(timeline, 1);
  timeline.after(10, () => holds.write("writer", () => holds.written("COMMUNITY#1")));
  await timeline.until(holds.wait("reader", read, { longer: 700 }));
  expect(timeline.now).toBe(710);
});

it("a held call continues after 1.5 seconds if only the caller itself writes, or other items are written", async () => {
  expect(
    await releasedAt((holds) => holds.write("reader", () => holds.written(itemName("MEMBER#1", "MEMBER"), "MEMBER#1"))),
  ).toBe(1501);
  expect(
    await releasedAt((holds) => holds.write("writer", () => holds.written(itemName("MEMBER#2", "MEMBER"), "MEMBER#2"))),
  ).toBe(1501);
});

it("a held call continues as soon as another invocation reads an item that the call is about to write", async () => {
  expect(await releasedAt((holds) => holds.wasRead("other", ["TIER#1 TIER"]))).toBe(11);
  expect(await releasedAt((holds) => holds.wasRead("reader", ["TIER#1 TIER"]))).toBe(1501);
  expect(await releasedAt((holds) => holds.wasRead("other", ["TIER#2 TIER"]))).toBe(1501);
});

it("a call that is held during an act continues at the end of the act", async () => {
  expect(await releasedAt((holds) => holds.ended("s1"))).toBe(11);
  expect(await releasedAt((holds) => holds.ended("s2"))).toBe(1501);
});
