import { expect, it, vi } from "vitest";
import { write } from "#lib/store/write.ts";
import { stripeClient } from "./stripe-client.ts";
import { newFigures, World } from "./world.ts";

// Triggers read their environment variables when they are imported.
vi.hoisted(() => vi.stubEnv("TABLE_NAME", "odis").stubEnv("EVENT_BUS_NAME", "odis"));

const key = { pk: "MEMBER#1", sk: "MEMBER" };
const lifetime = 20_000;

/** Creates a world without faults. */
function worldWithHolds(holds: number): World {
  const world = new World("conflicts", newFigures(), { holds });
  world.faults.isOn = true;
  world.faults.ofCall = () => undefined;
  return world;
}

/** Reads and writes an item. Another invocation writes the same item 200 milliseconds later. */
async function orderOfWriters(holds: number): Promise<readonly string[]> {
  const world = worldWithHolds(holds);
  const order: string[] = [];
  const writeAs = (name: string, reads: boolean) =>
    world.invoke(name, { lifetime }, async (mount) => {
      const table = mount.table();
      if (reads) await table.get(key);
      await write(table, [{ put: { ...key, name } }]);
      order.push(name);
    });
  const first = writeAs("first", true);
  const second = world.timeline.wait(200).then(() => writeAs("second", false));
  await world.timeline.until(Promise.all([first, second]));
  return order;
}

it("with holds, a write waits until another invocation has written the item that the write depends on", async () => {
  expect(await orderOfWriters(1)).toEqual(["second", "first"]);
});

it("without holds, a write does not wait", async () => {
  expect(await orderOfWriters(0)).toEqual(["first", "second"]);
});

it("with holds, a call that changes an object at Stripe also waits, and a call that reads does not", async () => {
  const world = worldWithHolds(1);
  const took: number[] = [];
  const run = world.invoke("payer", { lifetime }, async (mount) => {
    await mount.table().get(key);
    for (const call of [() => stripeClient.customers.list(), () => stripeClient.customers.create({ name: "Ana" })]) {
      const from = world.timeline.now;
      await call();
      took.push(world.timeline.now - from);
    }
  });
  await world.timeline.until(run);
  expect(took[0]).toBeLessThan(1000);
  expect(took[1]).toBeGreaterThanOrEqual(1500);
});
