import { beforeAll, expect, it, vi } from "vitest";
import { newFigures, World } from "../world/world.ts";
import { Scene } from "./scene.ts";

// Triggers read their environment variables when they are imported.
vi.hoisted(() => vi.stubEnv("TABLE_NAME", "odis").stubEnv("EVENT_BUS_NAME", "odis"));

let world: World;
beforeAll(() => {
  world = new World("scenes", newFigures());
});

const records = Array.from({ length: 50 }, (_, id) => ({ id }));

it("acts with the same subject pick the same record, also after others were added", () => {
  const [first, second] = [new Scene(world, "s1", "pair 1"), new Scene(world, "s2", "pair 1")];
  const record = first.pick(records);
  expect(record).toBeDefined();
  expect(second.pick([{ id: 100 }, ...records])).toBe(record);
  expect(first.person()).toBe(second.person());
});

it("acts with different subjects, or without one, pick different records", () => {
  const of = (subject?: (n: number) => string) =>
    new Set(records.map(({ id }) => new Scene(world, `s${id}`, subject?.(id)).pick(records)?.id));
  expect(of((n) => `pair ${n + 10}`).size).toBeGreaterThan(10);
  expect(of().size).toBeGreaterThan(10);
});
