import { expect, it } from "vitest";
import { hasMet, overlapping } from "./overlaps.ts";

const [cancel, erase, show] = ["members.cancelOwn", "dataSubjects.erase", "ownersOfMembers.show"];
const overlapsOf = (...names: readonly string[]) => overlapping(Object.fromEntries(names.map((name) => [name, 1])));

it("two acts overlap if both write a kind of items", () => {
  expect(overlapsOf(`write,${cancel},MEMBER#*`, `write,${erase},MEMBER#*`).map(String)).toEqual([
    `${cancel},${cancel}`,
    `${cancel},${erase}`,
    `${erase},${erase}`,
  ]);
  expect(overlapsOf(`write,${cancel},MEMBER#*`, `write,${erase},USER#*`).map(String)).toEqual([
    `${cancel},${cancel}`,
    `${erase},${erase}`,
  ]);
});

it("two acts overlap if one writes a kind of items that the other reads", () => {
  const touched = [`write,${cancel},MEMBER#*`, `read,${show},MEMBER#*`];
  expect(overlapsOf(...touched).map((pair) => pair.toSorted())).toContainEqual([cancel, show]);
  expect(overlapsOf(...touched).map(String)).not.toContain(`${show},${show}`);
  expect(overlapping(Object.fromEntries(touched.map((name) => [name, 1])), ["write"]).map(String)).toEqual([
    `${cancel},${cancel}`,
  ]);
});

it("two acts do not overlap if one writes a kind of items in two of 100 histories or fewer", () => {
  const counts = { [`ran,${erase}`]: 100, [`read,${show},MEMBER#*`]: 1 };
  expect(overlapping({ ...counts, [`write,${erase},MEMBER#*`]: 2 })).toEqual([]);
  expect(overlapping({ ...counts, [`write,${erase},MEMBER#*`]: 3 }).map((pair) => pair.toSorted())).toContainEqual([
    erase,
    show,
  ]);
});

it("two changes at Stripe cannot race, and a change at Stripe and a request can", () => {
  const refund = "support.refund";
  expect(overlapsOf(`write,${refund},stripe:charge *`, `read,${show},stripe:charge *`).map(String)).toEqual([
    `${show},${refund}`,
  ]);
});

it("a pair has met in either order", () => {
  const counts = { [`met,read,${erase},${cancel}`]: 1 };
  expect(hasMet(counts, [cancel, erase])).toBe(true);
  expect(hasMet(counts, [erase, cancel])).toBe(true);
  expect(hasMet(counts, [cancel, show])).toBe(false);
});
