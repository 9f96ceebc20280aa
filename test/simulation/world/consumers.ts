import { triggerTimeLimits } from "#lib/contract/time-limits.ts";
import type { Publish } from "#lib/events/bus.ts";
import { sources as eventSources } from "#lib/events/sources.ts";
import { sources as projectionSources } from "#lib/projections/sources.ts";
import type { Key } from "#lib/store/keys.ts";
import type { Delivered, Redriven } from "#lib/store/set-aside.ts";
import { clockMargin } from "#lib/values/clock-margin.ts";
import { announceChanges } from "../../../functions/triggers/events.ts";
import { followChanges } from "../../../functions/triggers/projections.ts";
import { type CallConsumer, type FailedRecords, redriveBatches } from "../../../tools/scripts/redrive-all.ts";
import { scatter } from "../table/storage.ts";
import type { StreamRecord } from "../table/stream.ts";
import { type ItemName, itemName } from "./holds.ts";
import { Crashed } from "./invocation.ts";
import { isMark, markName } from "./touches.ts";
import type { World } from "./world.ts";

const names = ["projections", "events"] as const;
type Name = (typeof names)[number];

/** Key prefixes of the items whose changes each consumer receives. */
const sources = { projections: projectionSources, events: eventSources };

/** The position of a consumer in a shard. */
type Reader = { readonly name: Name; readonly records: StreamRecord[]; at: number; isReading: boolean };

/** Possible durations for which a record is unreadable, in milliseconds. */
const outages = [20_000, 6 * 3_600_000, 60 * 3_600_000];

const shards = 3;
const batchSize = 40;
const minute = 60_000;
/**
 * Maximum time for which an unreadable record delays later records, in milliseconds: one minute plus the clock margin.
 */
const longestHold = minute + clockMargin;

/** The consumers of the stream. Each consumer reads each shard in order and in batches, and retries failed records. */
export class Consumers {
  readonly #world: World;
  readonly #readers: readonly (readonly Reader[])[];
  /**
   * Records that the consumer of statistics cannot read, each with the time at which a newer version that can read them
   * is deployed.
   */
  readonly #unreadable = new Map<string, number>();
  /** Items whose next change the consumer of statistics can only read once it is redriven. */
  readonly #breaking = new Set<ItemName>();
  /** The changes of these items. */
  readonly #broken = new Set<string>();

  constructor(world: World) {
    this.#world = world;
    this.#readers = Array.from({ length: shards }, () => {
      return names.map((name) => ({ name, records: [], at: 0, isReading: false }));
    });
    world.storage.stream.onAppend = (record) => {
      world.changes.push({ at: world.timeline.now, by: world.holds.writer, record });
      const { pk, sk } = record.dynamodb.Keys;
      const key = pk?.S ?? "";
      const name = itemName(key, sk?.S ?? "");
      world.holds.written(name, key);
      world.touches?.note(isMark(record.dynamodb) ? markName(name) : name, { isWrite: true });
      const readers = this.#readers[scatter(key) % shards] ?? [];
      world.queues.noteChange(record);
      for (const reader of readers) {
        if (!sources[reader.name].some((of) => key.startsWith(of.pk) && sk?.S?.startsWith(of.sk))) continue;
        reader.records.push(record);
        if (reader.name === "projections" && world.faults.strikes("record_unreadable", world.chance))
          this.#unreadable.set(record.eventID, world.timeline.now + (world.chance.pick(outages) ?? 0));
        if (reader.name === "projections" && this.#breaking.delete(name)) this.#broken.add(record.eventID);
        this.#wake(reader);
      }
    };
  }

  /** Whether all records of the stream have been handled. */
  get areIdle(): boolean {
    return this.#readers.flat().every(({ isReading }) => !isReading);
  }

  /** Makes the next change of an item unreadable for the consumer of statistics, until the change is redriven. */
  breakNext(item: Key): void {
    this.#breaking.add(itemName(item.pk, item.sk));
  }

  #wake(reader: Reader): void {
    if (reader.isReading) return;
    reader.isReading = true;
    void this.#read(reader);
  }

  async #read(reader: Reader): Promise<void> {
    const { chance, faults, timeline } = this.#world;
    let size = batchSize;
    while (reader.at < reader.records.length) {
      const isLate = faults.strikes("batch_late", chance);
      await timeline.wait(isLate ? chance.next() * 10 * minute : 50 + chance.next() * 5000);
      if (faults.strikes("batch_cut", chance)) size = chance.integer(1, batchSize);
      const batch = reader.records.slice(reader.at, reader.at + size);
      const done = await this.#handle(reader.name, batch);
      const isRepeated = done > 0 && faults.strikes("batch_doubled", chance);
      if (!isRepeated) reader.at += done;
      size = done < batch.length ? Math.max(1, Math.ceil(batch.length / 2)) : batchSize;
    }
    reader.isReading = false;
  }

  /** @returns the number of handled records at the start of a batch */
  async #handle(name: Name, batch: readonly StreamRecord[]): Promise<number> {
    const failed = await this.#call(name, batch);
    if (!failed) return 0;
    const numbers = new Set(failed.map(({ dynamodb }) => dynamodb?.SequenceNumber));
    const first = batch.findIndex(({ dynamodb }) => numbers.has(dynamodb.SequenceNumber));
    return first === -1 ? batch.length : first;
  }

  /** Redrives the failed records to their consumers, like an operator. */
  async redrive(): Promise<void> {
    const world = this.#world;
    const { failedRecords, journal } = world;
    const bucket: FailedRecords = {
      names: async () => [...failedRecords.stored.keys()],
      async text(key) {
        const body = failedRecords.stored.get(key);
        if (!body) throw new NoSuchKey(key);
        return Buffer.from(body).toString();
      },
      async delete(key) {
        if (!isHandled) world.violate("set aside", `a redrive deletes ${key}, which has failed again`);
        await failedRecords.delete(key);
      },
    };
    let isHandled = false;
    const call: CallConsumer = async (functionArn, event) => {
      const { Records } = event as { readonly Records: readonly (StreamRecord | Unreadable)[] };
      const name = names.find((one) => functionArn.endsWith(`:${one}`)) ?? "projections";
      const failed = await this.#call(name, Records.map(readable), { isRedriven: true });
      isHandled = failed?.length === 0;
      return isHandled ? undefined : "it could not handle all records";
    };
    const options = { since: undefined, until: undefined, isDryRun: false, onProgress: () => {}, onLine: () => {} };
    const { sent, failed } = await redriveBatches(bucket, call, options).catch((error: unknown) => {
      // Another operator has redriven the object, and this command ends.
      if (!(error instanceof NoSuchKey)) throw error;
      return { sent: 0, failed: 0 };
    });
    if (sent + failed > 0) journal.note(`redrive: ${sent} batches handled, ${failed} failed`);
  }

  /** Calls a consumer. @returns the failed records, or undefined if the consumer crashed */
  async #call(name: Name, records: readonly StreamRecord[], attempt: Redriven = {}): Promise<Delivered[] | undefined> {
    const world = this.#world;
    const { skew } = world.chance.pick(world.environments) ?? { skew: 0 };
    const isSluggish = name === "projections" && world.faults.strikes("environment_sluggish", world.chance);
    const isUnreadable = ({ eventID }: StreamRecord) =>
      world.faults.isOn &&
      (world.timeline.now < (this.#unreadable.get(eventID) ?? 0) || (!attempt.isRedriven && this.#broken.has(eventID)));
    const batch = records.map((record) => (isUnreadable(record) ? unreadable(record) : record));
    try {
      const lifetime = 1000 * triggerTimeLimits[name];
      return await world.invoke(
        attempt.isRedriven ? "redrive" : name,
        { lifetime, skew, isSluggish },
        async (mount, { context }) => {
          const event = { ...attempt, Records: batch as readonly Delivered[] };
          const functionContext = { ...context, invokedFunctionArn: `arn:aws:lambda:::function:${name}` };
          const connections = { objects: world.failedRecords, runtime: mount };
          if (name === "events")
            return announceChanges(event, functionContext, {
              ...connections,
              open: mount.table,
              publish: this.#publish,
            });
          if (!mount.billing) throw new Error("There is no billing");
          const begun = mount.now();
          const { table, billing } = mount;
          const failed = await followChanges(event, functionContext, { ...connections, table, billing });
          if (!attempt.isRedriven) this.#assertSetAside(failed, begun);
          return failed;
        },
      );
    } catch (error) {
      if (error instanceof Crashed) return undefined;
      throw error;
    }
  }

  /** Asserts that an unreadable record is retried for a minute at most. */
  #assertSetAside(failed: readonly Delivered[], now: Date): void {
    for (const { eventID, dynamodb } of failed.filter(isOfNextVersion))
      if (now.getTime() - 1000 * dynamodb.ApproximateCreationDateTime > longestHold) {
        this.#world.violate("set aside", `${eventID} cannot be read, and still holds up later records`);
        // Otherwise it would be tried again every few seconds, for up to 60 hours.
        this.#unreadable.delete(eventID);
        this.#broken.delete(eventID);
      }
  }

  readonly #publish: Publish = async (events) => {
    const { bus, chance, faults, queues } = this.#world;
    const isRefused = faults.strikes("event_refused", chance);
    const refused = isRefused ? chance.pick(events) : undefined;
    const taken = events.filter((event) => event !== refused);
    bus.push(...taken);
    for (const event of taken) queues.take(event);
    return refused && { event: refused, reason: "ThrottlingException" };
  };
}

class NoSuchKey extends Error {}

/** Converts a record to a form that the running version cannot read. No data is lost. */
type Unreadable = Omit<StreamRecord, "dynamodb"> & {
  readonly dynamodb: Omit<StreamRecord["dynamodb"], "Keys"> & {
    readonly KeysOfNextVersion: StreamRecord["dynamodb"]["Keys"];
  };
};

const isOfNextVersion = (record: Delivered): record is Unreadable & Delivered =>
  record.dynamodb !== undefined && "KeysOfNextVersion" in record.dynamodb;

function unreadable({ dynamodb: { Keys, ...dynamodb }, ...record }: StreamRecord): Unreadable {
  return { ...record, dynamodb: { ...dynamodb, KeysOfNextVersion: Keys } };
}

function readable(record: StreamRecord | Unreadable): StreamRecord {
  if (!isOfNextVersion(record)) return record;
  const { KeysOfNextVersion: Keys, ...dynamodb } = record.dynamodb;
  return { ...record, dynamodb: { ...dynamodb, Keys } };
}
