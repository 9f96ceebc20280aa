import { expect, it } from "vitest";
import { machine } from "#lib/runtime.ts";
import { withLease } from "#lib/store/lease.ts";
import { connect } from "#lib/store/table.ts";
import { startTable } from "../../support/direct.ts";

const test = startTable();
let clock = Date.parse("2026-11-22T12:00:00.000Z");
const table = () => connect(test.client, test.name, { ...machine, now: () => new Date(clock) })();
const at = (name: string) => ({ name, longestMs: 1000 });

const nothing = async () => true;

it("a second worker does nothing while the first holds the lease", async () => {
  const begun = await withLease(table(), at("both"), async () => {
    expect(await withLease(table(), at("both"), () => Promise.reject(new Error("It was done twice")))).toBeUndefined();
    return "done";
  });
  expect(begun).toBe("done");
});

it("of several workers that begin at the same time, only one works at a time", async () => {
  let working = 0;
  const work = async () => {
    expect(++working).toBe(1);
    await table().get({ pk: "ANY", sk: "ANY" });
    working--;
    return true;
  };
  const outcomes = await Promise.all(Array.from({ length: 8 }, () => withLease(table(), at("several"), work)));
  expect(outcomes).toContain(true);
});

it("a second worker whose clock is 10 seconds ahead does nothing while the first holds the lease", async () => {
  const begun = await withLease(table(), at("ahead"), async () => {
    clock += 10_999;
    return { other: await withLease(table(), at("ahead"), nothing) };
  });
  expect(begun).toEqual({ other: undefined });
});

it("a lease is released when its work ends, even if the work fails", async () => {
  const failing = withLease(table(), at("failing"), () => Promise.reject(new Error("no")));
  await expect(failing).rejects.toThrow("no");
  expect(await withLease(table(), at("failing"), nothing)).toBe(true);
});

it("the lease of a crashed worker expires, and late work does not end the lease of the next worker", async () => {
  const [began, ends] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let second: Promise<true | undefined> | undefined;
  await withLease(table(), at("late"), async () => {
    clock += 11_001;
    second = withLease(table(), at("late"), () => {
      began.resolve();
      return ends.promise.then(() => true as const);
    });
    await began.promise;
  });
  expect(await withLease(table(), at("late"), nothing)).toBeUndefined();
  ends.resolve();
  expect(await second).toBe(true);
});
