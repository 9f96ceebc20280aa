import { announce } from "#lib/events/announce.ts";
import type { Publish } from "#lib/events/bus.ts";
import { sources as eventSources } from "#lib/events/sources.ts";
import { sources as projectionSources } from "#lib/projections/sources.ts";
import { followChanges } from "../../../functions/triggers/projections.ts";
import { scatter } from "../table/storage.ts";
import type { StreamRecord } from "../table/stream.ts";
import { Crashed } from "./invocation.ts";
import type { World } from "./world.ts";

const names = ["projections", "events"] as const;
type Name = (typeof names)[number];

/** What each is told of, by how keys start. */
const sources = { projections: projectionSources, events: eventSources };

type Delivered = { readonly dynamodb: { readonly SequenceNumber: string } };

/** A consumer's place in a shard. */
type Reader = { readonly name: Name; readonly records: StreamRecord[]; at: number; isReading: boolean };

const shards = 3;
const batchSize = 40;
const minute = 60_000;

/** The consumers of the stream: each reads each shard in order, batch by batch, and again what has failed. */
export class Consumers {
  readonly #world: World;
  readonly #readers: readonly (readonly Reader[])[];

  constructor(world: World) {
    this.#world = world;
    this.#readers = Array.from({ length: shards }, () => {
      return names.map((name) => ({ name, records: [], at: 0, isReading: false }));
    });
    world.storage.stream.onAppend = (record) => {
      world.changes.push({ at: world.timeline.now, record });
      const { pk, sk } = record.dynamodb.Keys;
      const key = pk?.S ?? "";
      world.holds.written(key, sk?.S ?? "");
      const readers = this.#readers[scatter(key) % shards] ?? [];
      world.queues.noteChange(record);
      for (const reader of readers) {
        if (!sources[reader.name].some((of) => key.startsWith(of.pk) && sk?.S?.startsWith(of.sk))) continue;
        reader.records.push(record);
        this.#wake(reader);
      }
    };
  }

  /** Whether all that is in the stream has been handled. */
  get areIdle(): boolean {
    return this.#readers.flat().every(({ isReading }) => !isReading);
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

  /** @returns how many records of a batch are done, from its start on */
  async #handle(name: Name, batch: readonly StreamRecord[]): Promise<number> {
    const world = this.#world;
    const { skew } = world.chance.pick(world.environments) ?? { skew: 0 };
    try {
      const isSluggish = name === "projections" && world.faults.strikes("environment_sluggish", world.chance);
      const failed = await world.invoke(name, { lifetime: 60_000, skew, isSluggish }, async (mount, { context }) => {
        if (name === "events") return announce(this.#publish, batch, { ...mount, now: mount.now() });
        const left = () => context.getRemainingTimeInMillis() - 1000;
        if (!mount.billing) throw new Error("There is no billing");
        const billing = mount.billing(() => left() - 5000);
        return followChanges({ table: mount.table(mount.deadline(left())), billing, now: mount.now() }, batch);
      });
      const numbers = new Set(failed.map(({ dynamodb }: Delivered) => dynamodb.SequenceNumber));
      const first = batch.findIndex(({ dynamodb }) => numbers.has(dynamodb.SequenceNumber));
      return first === -1 ? batch.length : first;
    } catch (error) {
      if (error instanceof Crashed) return 0;
      throw error;
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
