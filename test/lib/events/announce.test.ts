import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { marshall } from "@aws-sdk/util-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { DomainEvent } from "#lib/contract/events.ts";
import { announce } from "#lib/events/announce.ts";
import { connectBus, type Publish } from "#lib/events/bus.ts";
import { type Bus, type Envelope, startBus } from "../../../tools/local/event-bus.ts";
import { memberOf } from "../../support/given.ts";
import { startLog } from "../../support/log.ts";
import { memberRecord } from "../projections/stream.ts";

const log = startLog();

const community = { id: 7, owner: { id: 1 }, tier: { id: 11 } } as Parameters<typeof memberOf>[0];

/** A member joins, and is blocked and unblocked: `count` records with two events each. */
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

/** Time of the records. `announce` is called much later. */
const made = new Date("2026-11-21T12:00:00Z");
const setAside: unknown[] = [];
const stored: unknown[] = [];
const options = {
  store: async (_: number, events: readonly DomainEvent[]) => void stored.push(...events.map(({ id }) => id)),
  epoch: 0,
  now: new Date("2026-11-21T13:00:00Z"),
  setAside: async (record: unknown) => void setAside.push(record),
};

let bus: Bus;
let publish: Publish;
let client: EventBridgeClient;
const ids: unknown[] = [];
const envelopes: Envelope[] = [];
beforeAll(async () => {
  bus = await startBus("odis-test");
  client = new EventBridgeClient({ endpoint: bus.url, maxAttempts: 1 });
  publish = connectBus(client, "odis-test");
  bus.subscribe((envelope) => {
    ids.push(envelope.detail.id);
    envelopes.push(envelope);
  });
});
afterAll(async () => {
  client.destroy();
  await bus.close();
});
beforeEach(() => {
  ids.splice(0);
  envelopes.splice(0);
  setAside.splice(0);
  stored.splice(0);
});

describe("announcing", () => {
  it("announce sends all events of a batch in order", async () => {
    const records = history(25);
    expect(await announce(publish, records, options)).toEqual([]);
    expect(ids).toEqual(records.flatMap(({ eventID }) => [`${eventID}-0`, `${eventID}-1`]));
    expect(stored).toEqual(ids);
  });

  it("the bus gets each event with its type and with the time of the change, not of the call", async () => {
    await announce(publish, history(1), options);
    expect(envelopes).toHaveLength(2);
    for (const envelope of envelopes)
      expect(envelope).toMatchObject({
        source: "odis",
        "detail-type": envelope.detail.type,
        time: envelope.detail.timestamp,
      });
  });

  it("announce sends the events before the first one that was not stored, and returns its record as failed", async () => {
    const records = history(4);
    const elsewhere = records[2];
    if (elsewhere?.dynamodb.NewImage) {
      elsewhere.dynamodb.Keys.pk = { S: "COMMUNITY#0000000000000008#MEMBERS" };
      elsewhere.dynamodb.NewImage.community_id = { N: "8" };
    }
    const store = async (communityId: number) => {
      if (communityId === 8) throw new Error("The table does not answer");
    };
    expect(await announce(publish, records, { ...options, store })).toEqual([elsewhere]);
    expect(ids).toEqual(records.slice(0, 2).flatMap(({ eventID }) => [`${eventID}-0`, `${eventID}-1`]));
    expect(log.lines("error").at(-1)).toMatchObject({ sequence_number: elsewhere?.dynamodb.SequenceNumber });
  });

  it("an event of a record that is delivered again has the same id", async () => {
    const records = history(12);
    await announce(publish, records, options);
    await announce(publish, records.slice(3, 5), options);
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
    await announce(publish, [...history(2), entry(1, "FiX2xhRSFiAEMgw="), entry(2, null)], options);
    expect(log.lines("info")).toMatchObject([{ events: 4, request_ids: ["FiX2xhRSFiAEMgw="] }]);
  });

  /** A batch with one unreadable record, which has an unknown status. */
  function withPoison(count: number, at: number) {
    const records = history(count);
    const poison = records[at];
    if (poison?.dynamodb.NewImage) poison.dynamodb.NewImage.status = { S: "confused" };
    const others = records.filter((record) => record !== poison);
    return { records, poison, idsOfOthers: others.flatMap(({ eventID }) => [`${eventID}-0`, `${eventID}-1`]) };
  }
  const secondsLater = (seconds: number) => new Date(made.getTime() + seconds * 1000);

  it("announce stops at an unreadable record during its first minute, and returns the record as failed", async () => {
    const { records, poison } = withPoison(5, 2);
    expect(await announce(publish, records, { ...options, now: secondsLater(59) })).toEqual([poison]);
    expect(ids).toHaveLength(4);
    expect(setAside).toEqual([]);
    expect(log.lines("error").at(-1)).toMatchObject({ sequence_number: poison?.dynamodb.SequenceNumber });
  });

  it("announce sets aside a record that could not be read for a minute, and sends the events of all others in order", async () => {
    const { records, poison, idsOfOthers } = withPoison(25, 12);
    expect(await announce(publish, records, { ...options, now: secondsLater(60) })).toEqual([]);
    expect(ids).toEqual(idsOfOthers);
    expect(setAside).toEqual([poison]);
  });

  it("announce returns an unreadable record that could not be set aside as failed", async () => {
    const { records, poison } = withPoison(5, 2);
    const refuse = () => Promise.reject(new Error("The bucket does not answer"));
    expect(await announce(publish, records, { ...options, setAside: refuse })).toEqual([poison]);
  });

  it("announce returns an unreadable record of a redrive as failed, and sends the events of all others", async () => {
    const { records, poison, idsOfOthers } = withPoison(5, 2);
    expect(await announce(publish, records, { ...options, setAside: undefined })).toEqual([poison]);
    expect(ids).toEqual(idsOfOthers);
  });

  it.each([
    [3, 1],
    [1, 0],
  ])(
    "if the bus rejects record %i of a batch, announce sets aside %i of the unreadable records before it",
    async (rejected, count) => {
      const { records, poison } = withPoison(5, 2);
      const refusing: Publish = async (events) => {
        const event = events.find(({ id }) => id === `${records[rejected]?.eventID}-0`);
        return event && { event, reason: "ThrottlingException" };
      };
      expect(await announce(refusing, records, options)).toEqual([records[rejected]]);
      expect(setAside).toEqual([poison].slice(0, count));
    },
  );

  it("announce returns the record whose event the bus rejected, so that it is retried", async () => {
    const records = history(30);
    const refusing: Publish = async (events) => {
      const event = events.find(({ id }) => id === `${records[14]?.eventID}-0`);
      return event ? { event, reason: "ThrottlingException" } : publish(events);
    };
    expect(await announce(refusing, records, options)).toEqual([records[14]]);
    expect(ids).toHaveLength(20);
    expect(await announce(publish, records.slice(14), options)).toEqual([]);
    expect(log.lines("error").at(-1)).toMatchObject({ sequence_number: records[14]?.dynamodb.SequenceNumber });
  });

  it("announce returns a record as failed if the bus did not accept its event", async () => {
    const records = history(1);
    const elsewhere = connectBus(client, "another-bus");
    expect(records).toHaveLength(1);
    expect(await announce(elsewhere, records, options)).toEqual([records[0]]);
  });

  it("announce returns the first of the records that could not be sent", async () => {
    const records = history(3);
    const unreachable = new EventBridgeClient({ endpoint: "http://127.0.0.1:1", maxAttempts: 1 });
    expect(await announce(connectBus(unreachable, "odis-test"), records, options)).toEqual([records[0]]);
    unreachable.destroy();
  });
});
