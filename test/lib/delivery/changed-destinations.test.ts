import { Webhook } from "standardwebhooks";
import { describe, expect, it, vi } from "vitest";
import { newSecret, storedSecret } from "#lib/delivery/secret.ts";
import { workOn } from "#lib/delivery/work.ts";
import * as communities from "#lib/store/communities.ts";
import * as destinations from "#lib/store/destinations.ts";
import { hour, minute, type Received, sealing, start, startDelivering } from "../../support/delivering.ts";
import { aCommunity, givenBy } from "../../support/given.ts";

const delivering = startDelivering();
const { aDestination, aReceiver, again, anEvent, answering, deliveriesTo, state, tell, test, work, world } = delivering;

const eventOf = ({ body }: Received) => JSON.parse(body) as { readonly id: string; readonly type: string };

describe("a destination that changes", () => {
  it("a destination that was disabled and enabled again does not receive pending deliveries", async () => {
    const { url, received } = await answering(500);
    const destination = await aDestination(url);
    await tell(anEvent());
    await work(start);
    state.now += 1000;
    await delivering.change(destination, { status: "disabled" });
    state.now += 1000;
    await delivering.change(destination, { status: "enabled" });
    await work();
    expect(received).toHaveLength(1);
    expect(await deliveriesTo(destination)).toMatchObject([{ status: "failed" }]);
  });

  it.each([
    [
      "is still sent after its destination has selected other events",
      { events: ["tier.*"] },
      { received: 1, status: "delivered" },
    ],
    [
      "is not sent after its destination was disabled",
      { status: "disabled" as const },
      { received: 0, status: "failed" },
    ],
  ])("a delivery that an earlier failed run has stored %s", async (_, changes, expected) => {
    const { url, received } = await answering(200);
    const destination = await aDestination(url);
    const event = anEvent();
    const crashing = { ...world(), sealing: () => Promise.reject(new Error("crashed")) };
    await expect(workOn(JSON.stringify({ detail: event }), crashing)).rejects.toThrow("crashed");
    state.now += 1000;
    await delivering.change(destination, changes);
    state.now += 1000;
    await tell(event);
    await work();
    expect(received).toHaveLength(expected.received);
    expect(await deliveriesTo(destination)).toMatchObject([{ status: expected.status }]);
  });

  it("a destination that is enabled by a clock that is ahead receives retries as usual", async () => {
    const { url, received } = await answering(500);
    state.now = start + 4000;
    const destination = await aDestination(url);
    state.now = start;
    await tell(anEvent());
    await work(start + 10_000);
    expect(received).toHaveLength(2);
    expect(await deliveriesTo(destination)).toMatchObject([{ status: "pending", attempts_made: 2 }]);
  });

  const rotate = async (record: Awaited<ReturnType<typeof aDestination>>, overlapHours: number): Promise<string> => {
    const secret = newSecret(test.table.runtime);
    const next = storedSecret(secret, record.id, sealing);
    const parent = await communities.open(state.table, state.community.id);
    await destinations.rotate(state.table, parent, { record, next, overlapHours }, givenBy(new Date(state.now)));
    return secret;
  };
  const opens = (secret: string, { headers, body }: Received): boolean => {
    vi.useFakeTimers({ now: Number(headers["webhook-timestamp"]) * 1000, toFake: ["Date"] });
    try {
      return Boolean(new Webhook(secret).verify(body, headers));
    } catch {
      return false;
    } finally {
      vi.useRealTimers();
    }
  };

  it.each([0, 1, 24])(
    "deliveries in the %i hours after a rotation are signed with both secrets, and then only with the new one",
    async (hours) => {
      const { url, received } = await answering(200);
      const destination = await aDestination(url);
      const secret = await rotate(destination, hours);
      for (const passed of [0, hours * hour]) {
        state.now = start + passed;
        await tell(anEvent());
        await work();
      }
      expect(received.map((one) => [opens(destination.plain, one), opens(secret, one)])).toEqual([
        [hours > 0, true],
        [false, true],
      ]);
    },
  );

  it("a deleted destination receives nothing more", async () => {
    const { url, received } = await answering(500);
    const destination = await aDestination(url);
    await tell(anEvent());
    await work(start);
    await destinations.remove(state.table, (await again(destination)) ?? destination, givenBy(new Date(state.now)));
    await work();
    expect(received).toHaveLength(1);
  });

  it("after a change of owner, a destination receives only one last event, even of a type that it has not selected", async () => {
    let status = 500;
    const { url, received } = await aReceiver((_, response) => void response.writeHead(status).end());
    const destination = await aDestination(url, ["member.*"]);
    await tell(anEvent());
    await work(start);
    const next = (await aCommunity(test.table)).owner;
    const by = givenBy(new Date(state.now));
    const parent = await communities.open(state.table, state.community.id);
    await communities.update(state.table, parent, { owner_id: next.id }, by);
    status = 200;
    await work();
    expect(received).toHaveLength(1);

    await tell(anEvent("community.updated"));
    expect(await again(destination)).toMatchObject({
      status: "disabled",
      disabled_reason: "owner_changed",
      version: 2,
    });
    const last = { ...anEvent("event_destination.disabled"), subject: `event_destinations/${destination.id}` };
    await tell(last);
    await tell(last);
    await tell(anEvent());
    await work();
    expect(
      received
        .slice(1)
        .map(eventOf)
        .map(({ id }) => id),
    ).toEqual([last.id]);
  });

  it("after a restore of the table, a destination is disabled before the next event, until it is enabled again", async () => {
    const { url, received } = await answering(200);
    const destination = await aDestination(url);
    const restored = { ...world(), table: { ...state.table, runtime: { ...state.table.runtime, epoch: 1 } } };
    await workOn(JSON.stringify({ detail: anEvent() }), restored);
    expect(received).toEqual([]);
    expect(await again(destination)).toMatchObject({ status: "disabled", disabled_reason: "restored" });
    await delivering.change(destination, { status: "enabled" }, restored.table);
    await workOn(JSON.stringify({ detail: anEvent() }), restored);
    expect(received).toHaveLength(1);
  });

  it("a destination that responds 410 receives one last event, and no more if that event also gets 410", async () => {
    const { url, received } = await answering(410);
    const destination = await aDestination(url, ["member.*"]);
    await tell(anEvent());
    await tell({ ...anEvent("event_destination.disabled"), subject: `event_destinations/${destination.id}` });
    await work();
    expect(received.map(eventOf).map(({ type }) => type)).toEqual(["member.joined", "event_destination.disabled"]);
    expect((await deliveriesTo(destination)).map((delivery) => delivery.status)).toContain("failed");
    expect(await again(destination)).toMatchObject({ disabled_reason: "gone", version: 2 });
  });

  it("a destination that is disabled as failing receives one last event, with up to four attempts within 40 minutes", async () => {
    const { url, received } = await answering(503);
    const destination = await aDestination(url, ["member.*"]);
    await tell(anEvent());
    await tell(anEvent());
    await work();
    state.now = start + 6 * 24 * hour;
    await tell(anEvent());
    expect(await again(destination)).toMatchObject({ status: "disabled", disabled_reason: "failing" });
    received.length = 0;
    const last = { ...anEvent("event_destination.disabled"), subject: `event_destinations/${destination.id}` };
    await tell(last);
    await work(state.now + 40 * minute);
    expect(received.map(eventOf).map(({ id }) => id)).toEqual(Array.from({ length: 4 }, () => last.id));
    await work();
    expect(received).toHaveLength(4);
    const delivery = (await deliveriesTo(destination)).find(({ event_id }) => event_id === last.id);
    expect(delivery).toMatchObject({ status: "failed", attempts_made: 4 });
  });

  it("a destination that is disabled by a request receives no event about it unless it has selected that type", async () => {
    const { url, received } = await answering(200);
    const destination = await aDestination(url, ["member.*"]);
    await delivering.change(destination, { status: "disabled" });
    await tell({ ...anEvent("event_destination.disabled"), subject: `event_destinations/${destination.id}` });
    await work();
    expect(received).toEqual([]);
  });
});
