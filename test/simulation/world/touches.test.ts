import { expect, it } from "vitest";
import { actFor } from "./causes.ts";
import { Touches } from "./touches.ts";

type Touch = readonly [by: string, item: string, how: "read" | "write", at: number];

/** Counts touches. Each name is one run of the cause that its first part names. */
const counted = (...all: readonly Touch[]): string[] => allCounted(...all).filter((name) => !name.startsWith("ran,"));

function allCounted(...all: readonly Touch[]): string[] {
  let now = 0;
  const touches = new Touches(() => now);
  for (const [by, item, how, at] of all) {
    now = at;
    const [name = ""] = by.split(" ");
    actFor({ name, run: by }, () => touches.note(item, { isWrite: how === "write" }));
  }
  const counts = new Map<string, number>();
  touches.addTo(counts);
  return [...counts.keys()].toSorted();
}

const item = "COMMUNITY#12#MEMBERS MEMBER#34";
const kind = "COMMUNITY#*#MEMBERS MEMBER#*";

it("two causes that write one item within half a second have met", () => {
  expect(counted(["a 1", item, "write", 0], ["b 1", item, "write", 500])).toEqual(["met,write,a,b", `write,b,${kind}`]);
});

it("a cause that reads an item which another writes half a second later has met it", () => {
  expect(counted(["b 1", item, "read", 0], ["a 1", item, "write", 500])).toContain("met,read,a,b");
});

it.each([
  ["that write different items of a kind", ["a 1", item, "write", 0], ["b 1", `${item}5`, "write", 0]],
  ["that write an item more than half a second apart", ["a 1", item, "write", 0], ["b 1", item, "write", 501]],
  ["that both only read an item", ["a 1", item, "read", 0], ["b 1", item, "read", 0]],
  ["that are the same run", ["a 1", item, "read", 0], ["a 1", item, "write", 0]],
] as const)("two causes %s have not met", (_, first, second) => {
  expect(counted(first, second).filter((name) => name.startsWith("met"))).toEqual([]);
});

it("two runs of one act can meet", () => {
  expect(counted(["a 1", item, "write", 0], ["a 2", item, "write", 0])).toContain("met,write,a,a");
});

it("a cause writes a kind of items if it writes one that another run has touched", () => {
  expect(counted(["a 1", item, "read", 0], ["b 1", item, "write", 900])).toEqual([`write,b,${kind}`]);
  expect(counted(["b 1", item, "read", 0], ["b 1", item, "write", 900])).toEqual([]);
});

it("a cause reads a kind of items if it reads one that another run has written", () => {
  expect(counted(["a 1", item, "write", 0], ["b 1", item, "read", 900])).toEqual([`read,b,${kind}`]);
  expect(counted(["a 1", item, "read", 0], ["b 1", item, "read", 900])).toEqual([]);
});

it("each cause that has touched an item is counted", () => {
  expect(allCounted(["a 1", item, "read", 0], ["b 1", item, "read", 0])).toEqual(["ran,a", "ran,b"]);
});

it("an object of Stripe is of its own kind", () => {
  const subscription = "stripe:subscription sub_1";
  expect(counted(["a 1", subscription, "write", 0], ["b 1", subscription, "write", 900])).toEqual([
    "write,b,stripe:subscription *",
  ]);
});

it("stored responses and Stripe's own records of events and work are left out", () => {
  for (const name of ["IDEMPOTENCY#key REPLAY", "stripe:event evt_1", "stripe:task task_1"])
    expect(counted(["a 1", name, "write", 0], ["b 1", name, "write", 0])).toEqual([]);
});
