import { expect, it } from "vitest";
import { Timeline } from "../timeline.ts";
import { type Counted, Meetings } from "./meetings.ts";

const [minute, hour] = [60_000, 3_600_000];

type Given = { of?: string; name?: string; counted?: Counted; isOptional?: boolean };

/**
 * Runs an act that makes calls at the given times, of which every second one writes a member, and the second act of its pair.
 * Returns when the second act starts, and the act that each call starts.
 */
async function met(
  calls: readonly number[],
  call: number,
  { of = "s1", name = "support.cancel", counted, isOptional = false }: Given = {},
) {
  const timeline = new Timeline(0);
  const meetings = new Meetings(timeline);
  const started: (string | undefined)[] = [];
  let startedAt: number | undefined;
  const first = meetings.run("s1", undefined, async () => {
    for (const at of calls) {
      await timeline.wait(at - timeline.now);
      const isRead = started.length % 2 === 0;
      const items = ["COMMUNITY#1#MEMBERS MEMBER#2"];
      started.push(meetings.startedAt({ name, run: "s1" }, { target: "table", isRead, items }));
    }
  });
  const second = meetings.run("s2", { of, call, within: hour, counted, isOptional }, async () => {
    startedAt = timeline.now;
  });
  await timeline.until(Promise.all([first, second]));
  return { startedAt, started };
}

it("the second act of a pair starts at a call of the first one, which learns of it", async () => {
  expect(await met([10, 20, 30], 2)).toEqual({ startedAt: 20, started: [undefined, "s2", undefined] });
});

it.each([
  [{ isWrite: true }, 40],
  [{ isWrite: true, about: "MEMBER#" }, 40],
  [{ about: "MEMBER#" }, 20],
  [{ about: "table" }, 20],
  [{ about: "stripe" }, undefined],
  [{ about: "COMMUNITY#" }, undefined],
])("the second act starts at the second call that counts: %j", async (counted, startedAt) => {
  expect((await met([10, 20, 30, 40], 2, { counted, isOptional: true })).startedAt).toBe(startedAt);
});

it("the second act starts at the end of the first one if that makes fewer calls", async () => {
  expect(await met([10, 20], 3)).toEqual({ startedAt: 20, started: [undefined, undefined] });
});

it("the second act starts at a call of a trigger", async () => {
  const { startedAt } = await met([10, 20], 1, { of: "webhook", name: "webhook" });
  expect(startedAt).toBe(10);
});

it("the second act starts at the latest when its maximum wait has passed, and at once if its first one does not run", async () => {
  expect((await met([10, 2 * hour], 2)).startedAt).toBe(hour);
  expect((await met([minute], 1, { of: "s0" })).startedAt).toBe(0);
});

it("an optional second act is left out if the first one makes fewer calls", async () => {
  expect((await met([10, 20], 3, { isOptional: true })).startedAt).toBeUndefined();
  expect((await met([10, 20], 2, { isOptional: true })).startedAt).toBe(20);
});
