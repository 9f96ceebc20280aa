import { EventBridgeClient, PutEventsCommand } from "@aws-sdk/client-eventbridge";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bus, type Envelope, startBus } from "../../../tools/local/event-bus.ts";

let bus: Bus;
let client: EventBridgeClient;
const received: Envelope[] = [];
beforeAll(async () => {
  bus = await startBus("odis-test");
  bus.subscribe((envelope) => void received.push(envelope));
  client = new EventBridgeClient({ endpoint: bus.url });
});
afterAll(async () => {
  client.destroy();
  await bus.close();
});

const entry = (over: object = {}) => ({
  EventBusName: "odis-test",
  Source: "odis",
  DetailType: "brand.created",
  Detail: '{"id":"1"}',
  Time: new Date("2026-11-21T12:00:00Z"),
  ...over,
});

describe("the local event bus", () => {
  it("the local event bus passes the SDK's events to subscribers in EventBridge's envelope, and lists them", async () => {
    const { FailedEntryCount, Entries } = await client.send(new PutEventsCommand({ Entries: [entry()] }));
    expect(FailedEntryCount).toBe(0);
    const envelope = {
      id: Entries?.[0]?.EventId,
      "detail-type": "brand.created",
      source: "odis",
      time: "2026-11-21T12:00:00.000Z",
      detail: { id: "1" },
    };
    expect(received.at(-1)).toMatchObject(envelope);
    const listed = (await (await fetch(`${bus.url}/events`)).json()) as Envelope[];
    expect(listed.at(-1)).toMatchObject(envelope);
  });

  it("the local event bus refuses an invalid entry and accepts the others", async () => {
    const Entries = [
      entry({ Detail: "no JSON" }),
      entry({ DetailType: "brand.deleted" }),
      entry({ EventBusName: "none" }),
    ];
    const answer = await client.send(new PutEventsCommand({ Entries }));
    expect(answer.FailedEntryCount).toBe(2);
    expect(answer.Entries?.map(({ ErrorCode }) => ErrorCode)).toEqual([
      "MalformedDetail",
      undefined,
      "NotFoundException",
    ]);
    expect(received.at(-1)?.["detail-type"]).toBe("brand.deleted");
  });

  it("the local event bus accepts at most ten entries per request", async () => {
    const Entries = Array.from({ length: 11 }, () => entry());
    await expect(client.send(new PutEventsCommand({ Entries }))).rejects.toMatchObject({ name: "ValidationException" });
  });
});
