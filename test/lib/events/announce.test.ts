import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { marshall } from "@aws-sdk/util-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { announce } from "#lib/events/announce.ts";
import { connectBus, type Publish } from "#lib/events/bus.ts";
import { type Bus, startBus } from "../../../tools/local/event-bus.ts";
import { memberOf } from "../../support/given.ts";
import { startLog } from "../../support/log.ts";
import { memberRecord } from "../projections/stream.ts";

const log = startLog();

const community = { id: 7, owner: { id: 1 }, tier: { id: 11 } } as Parameters<typeof memberOf>[0];

/** Somebody joins, and is blocked and unblocked: as many records as wanted, each with two events. */
function history(count: number) {
  let before = undefined as ReturnType<typeof memberOf> | undefined;
  const member = memberOf(community);
  return Array.from({ length: count }, (_, n) => {
    const after = { ...member, is_blocked: n % 2 === 1, version: n + 1 };
    const record = memberRecord(before, after);
    before = after;
    return record;
  });
}

let bus: Bus;
let publish: Publish;
let client: EventBridgeClient;
const ids: unknown[] = [];
beforeAll(async () => {
  bus = await startBus("odis-test");
  client = new EventBridgeClient({ endpoint: bus.url, maxAttempts: 1 });
  publish = connectBus(client, "odis-test");
  bus.subscribe(({ detail }) => void ids.push(detail.id));
});
afterAll(async () => {
  client.destroy();
  await bus.close();
});
beforeEach(() => void ids.splice(0));

describe("announcing", () => {
  it("announce sends all events of a batch in order", async () => {
    const records = history(25);
    expect(await announce(publish, records, { epoch: 0 })).toBeUndefined();
    expect(ids).toEqual(records.flatMap(({ eventID }) => [`${eventID}-0`, `${eventID}-1`]));
  });

  it("an event that is delivered again in another batch has the same id", async () => {
    const records = history(12);
    await announce(publish, records, { epoch: 0 });
    await announce(publish, records.slice(3, 5), { epoch: 0 });
    expect(ids.slice(24)).toEqual(ids.slice(6, 10));
  });

  it("announce logs the ids of the requests in the audit entries of a batch", async () => {
    log.clear();
    const entry = (id: number, request_id: string | null) => ({
      ...history(1)[0],
      dynamodb: {
        SequenceNumber: `${id}`,
        ApproximateCreationDateTime: 1_795_000_000,
        Keys: { pk: { S: "MEMBER#0000000000000001" }, sk: { S: `ACTIVITY#${id}` } },
        NewImage: marshall({ request_id }),
      },
    });
    await announce(publish, [...history(2), entry(1, "FiX2xhRSFiAEMgw="), entry(2, null)], { epoch: 0 });
    expect(log.lines("info")).toMatchObject([{ events: 4, request_ids: ["FiX2xhRSFiAEMgw="] }]);
  });

  it("announce stops at a record that cannot be read, and returns it as failed", async () => {
    const records = history(5);
    const poison = records[2];
    if (poison?.dynamodb.NewImage) poison.dynamodb.NewImage.status = { S: "confused" };
    expect(await announce(publish, records, { epoch: 0 })).toBe(poison);
    expect(ids).toHaveLength(4);
    expect(log.lines("error").at(-1)).toMatchObject({ sequence_number: poison?.dynamodb.SequenceNumber });
  });

  it("announce returns the record whose event the bus rejected, so that it is retried", async () => {
    const records = history(30);
    const refusing: Publish = async (events) => {
      const event = events.find(({ id }) => id === `${records[14]?.eventID}-0`);
      return event ? { event, reason: "ThrottlingException" } : publish(events);
    };
    expect(await announce(refusing, records, { epoch: 0 })).toBe(records[14]);
    expect(ids).toHaveLength(20);
    expect(await announce(publish, records.slice(14), { epoch: 0 })).toBeUndefined();
    expect(log.lines("error").at(-1)).toMatchObject({ sequence_number: records[14]?.dynamodb.SequenceNumber });
  });

  it("announce returns the record of an event that the bus did not accept", async () => {
    const records = history(1);
    const elsewhere = connectBus(client, "another-bus");
    expect(records).toHaveLength(1);
    expect(await announce(elsewhere, records, { epoch: 0 })).toBe(records[0]);
  });

  it("announce returns the first of the records that could not be sent", async () => {
    const records = history(3);
    const unreachable = new EventBridgeClient({ endpoint: "http://127.0.0.1:1", maxAttempts: 1 });
    expect(await announce(connectBus(unreachable, "odis-test"), records, { epoch: 0 })).toBe(records[0]);
    unreachable.destroy();
  });
});
