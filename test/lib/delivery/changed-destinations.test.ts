import { Webhook } from "standardwebhooks";
import { describe, expect, it, vi } from "vitest";
import { newSecret, overlapFrom, storedSecret } from "#lib/delivery/secret.ts";
import * as destinations from "#lib/store/destinations.ts";
import { hour, type Received, sealing, start, startDelivering } from "../../support/delivering.ts";
import { givenBy } from "../../support/given.ts";

const { aDestination, again, anEvent, answering, deliveriesTo, state, tell, test, work } = startDelivering();

describe("a destination that changes", () => {
  it("by being disabled and enabled again is not sent what was pending", async () => {
    const { url, received } = await answering(500);
    const destination = await aDestination(url);
    await tell(anEvent());
    await work(start);
    const by = () => givenBy(new Date(state.now));
    state.now += 1000;
    const off = await destinations.update(
      state.table,
      (await again(destination)) ?? destination,
      { status: "disabled" },
      by(),
    );
    state.now += 1000;
    await destinations.update(state.table, off, { status: "enabled" }, by());
    await work();
    expect(received).toHaveLength(1);
    expect(await deliveriesTo(destination)).toMatchObject([{ status: "failed" }]);
  });

  it("by a rotation is signed with both secrets for a day, and then with the new one", async () => {
    const { url, received } = await answering(200);
    const destination = await aDestination(url);
    const secret = newSecret(test.table.runtime);
    const at = new Date(state.now);
    const next = { ...storedSecret(secret, destination.id, sealing), until: overlapFrom(at) };
    await destinations.rotate(state.table, destination, next, givenBy(at));
    await tell(anEvent());
    await work();
    state.now = start + 24 * hour;
    await tell(anEvent());
    await work();

    const opens = (with_: string, { headers, body }: Received) => {
      vi.useFakeTimers({ now: Number(headers["webhook-timestamp"]) * 1000, toFake: ["Date"] });
      try {
        return Boolean(new Webhook(with_).verify(body, headers));
      } catch {
        return false;
      } finally {
        vi.useRealTimers();
      }
    };
    expect(received.map((one) => [opens(destination.plain, one), opens(secret, one)])).toEqual([
      [true, true],
      [false, true],
    ]);
  });

  it("by being deleted gets nothing more", async () => {
    const { url, received } = await answering(500);
    const destination = await aDestination(url);
    await tell(anEvent());
    await work(start);
    await destinations.remove(state.table, (await again(destination)) ?? destination, givenBy(new Date(state.now)));
    await work();
    expect(received).toHaveLength(1);
  });
});
