import { expect, it } from "vitest";
import { actFor } from "./causes.ts";
import { Touches } from "./touches.ts";

type Touch = readonly [by: string, item: string, how: "read" | "write", at: number];

/** Counts touches. Each name is one run of the cause that its first part names. */
function counted(...all: readonly Touch[]): string[] {
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
  expect(counted(["a 1", item, "write", 0], ["b 1", item, "write", 500])).toEqual([
    "met,write,a,b",
    `shared,read,${kind}`,
    `shared,write,${kind}`,
    `write,a,${kind}`,
    `write,b,${kind}`,
  ]);
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

it("an object of Stripe is of its own kind", () => {
  expect(counted(["a 1", "stripe:subscription sub_1", "write", 0])).toEqual(["write,a,stripe:subscription *"]);
});
