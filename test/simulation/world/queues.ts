import type { SendMessageBatchCommandInput } from "@aws-sdk/client-sqs";
import { triggerTimeLimits } from "#lib/contract/time-limits.ts";
import { connectQueue, type Enqueue } from "#lib/delivery/queue.ts";
import { openSealing } from "#lib/delivery/sealing.ts";
import { communityOf } from "#lib/store/keys.ts";
import { deliverAll } from "../../../functions/triggers/deliver.ts";
import { Chance } from "../chance.ts";
import type { StreamRecord } from "../table/stream.ts";
import { Crashed, currentInvocation } from "./invocation.ts";
import type { World } from "./world.ts";

const names = { fast: "https://sqs.example/fast", slow: "https://sqs.example/slow" };

type Message = { readonly messageId: string; readonly body: string; readonly queue: string; receives: number };
type Task = { readonly due_at?: number; readonly detail?: { readonly community_id: number | null } };

const second = 1000;
const minute = 60 * second;

/** Settings of the queues, as in infra/constructs/deliveries.ts. */
const batchSize = 10;
const maxReceives = 5;
const lifetime = triggerTimeLimits.deliver * second;
const visibilityTimeout = 6 * lifetime;

/**
 * The queues of deliveries. Messages are delivered at least once, with delays and in no particular order. A message
 * that keeps failing moves to the dead-letter queue.
 */
export class Queues {
  readonly enqueue: Enqueue;
  readonly #world: World;
  readonly #chance: Chance;
  /** Messages that can be received, by queue. */
  readonly #ready = new Map<string, Message[]>(Object.values(names).map((name) => [name, []]));
  readonly #deadLetters: Message[] = [];
  /** Communities that have or had a destination. */
  readonly #communities = new Set<number>();
  #messages = 0;
  /** Number of messages that can be received or are in progress. */
  #active = 0;

  constructor(world: World) {
    this.#world = world;
    this.#chance = new Chance(`${world.seed} queues`);
    const send = (
      { input }: { readonly input: SendMessageBatchCommandInput },
      options: { abortSignal?: AbortSignal },
    ) => this.#send(input, options.abortSignal);
    this.enqueue = connectQueue({ send } as never, names);
  }

  /** Whether no message can be received, and none is in progress. */
  get areIdle(): boolean {
    return this.#active === 0;
  }

  /** Called with each change of the table. */
  noteChange({ dynamodb: { Keys } }: StreamRecord): void {
    const key = { pk: Keys.pk?.S ?? "", sk: Keys.sk?.S ?? "" };
    if (key.sk.startsWith("DESTINATION#")) this.#communities.add(communityOf(key));
  }

  /** Receives an event from the bus. */
  take(event: { readonly type: string }): void {
    if (event.type.startsWith("brand.")) return;
    this.#add(names.fast, JSON.stringify({ detail: event }), 20 + this.#chance.next() * 400);
  }

  /** Moves the dead letters back to their queues, like an operator. */
  redrive(): void {
    for (const message of this.#deadLetters.splice(0)) {
      this.#world.journal.note(`${message.messageId} is put back into its queue`);
      message.receives = 0;
      this.#become(message);
    }
  }

  #send(
    { QueueUrl = "", Entries = [] }: SendMessageBatchCommandInput,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly Failed?: readonly { readonly Code: string }[] }> {
    const invocation = currentInvocation();
    if (!invocation) throw new Error("Nothing sends messages outside of an invocation");
    return invocation.call({
      target: "queue",
      signal,
      failure: (fault) => Object.assign(new Error(`Injected: ${fault}`), { name: "TimeoutError" }),
      effect: () => {
        const isPartial = this.#world.faults.strikes("queue_partial_batch", invocation.chance);
        const taken = isPartial ? Entries.slice(0, invocation.chance.integer(0, Entries.length - 1)) : Entries;
        for (const { MessageBody = "", DelaySeconds = 0 } of taken)
          this.#add(QueueUrl, MessageBody, DelaySeconds * second);
        return isPartial ? { Failed: [{ Code: "ServiceUnavailable" }] } : {};
      },
    });
  }

  #add(queue: string, body: string, delay: number): void {
    const { faults, timeline } = this.#world;
    const { due_at = 0, detail } = JSON.parse(body) as Task;
    // Skips calls that would only read that there is no destination.
    if (detail && !this.#communities.has(detail.community_id ?? 0)) return;
    // If a message is returned to the queue several times because it is not due, simulates only the first and the last
    // time.
    const left = due_at - timeline.now;
    const waits = left > 2 * delay && left < 23 * 60 * minute && delay > 0 ? left - delay : delay;
    const copies = faults.strikes("message_doubled", this.#chance) ? 2 : 1;
    for (let n = 0; n < copies; n++) {
      const isLate = faults.strikes("message_late", this.#chance);
      const late = isLate ? this.#chance.next() * 20 * minute : this.#chance.next() * 200;
      const message = { messageId: `message-${++this.#messages}`, body, queue, receives: 0 };
      if (waits + late < second) this.#active++;
      timeline.after(waits + late, () => this.#become(message, waits + late < second));
    }
  }

  /** Makes a message available to receivers. */
  #become(message: Message, isActive = false): void {
    if (!isActive) this.#active++;
    const ready = this.#ready.get(message.queue) ?? [];
    ready.push(message);
    if (ready.length === 1) this.#world.timeline.after(this.#chance.next() * 50, () => void this.#receive(ready));
  }

  async #receive(ready: Message[]): Promise<void> {
    const all = this.#chance.shuffle(ready.splice(0));
    await Promise.all(
      Array.from({ length: Math.ceil(all.length / batchSize) }, (_, n) =>
        this.#work(all.slice(n * batchSize, (n + 1) * batchSize)),
      ),
    );
  }

  async #work(batch: readonly Message[]): Promise<void> {
    const { timeline } = this.#world;
    const failed = new Set(await this.#run(batch));
    for (const message of batch) {
      this.#active--;
      if (!failed.has(message)) continue;
      if (++message.receives >= maxReceives) this.#deadLetters.push(message);
      else timeline.after(visibilityTimeout, () => this.#become(message));
    }
  }

  /** @returns the messages that will be received again */
  async #run(batch: readonly Message[]): Promise<readonly Message[]> {
    const world = this.#world;
    const { skew } = this.#chance.pick(world.environments) ?? { skew: 0 };
    const isSluggish = world.faults.strikes("environment_sluggish", this.#chance);
    try {
      return await world.invoke("deliver", { lifetime, skew, isSluggish }, (mount, { context }) => {
        const table = mount.table(mount.deadline(context.getRemainingTimeInMillis() - 1000));
        return deliverAll(batch, { table, enqueue: this.enqueue, sealing: () => openSealing(table.signal) });
      });
    } catch (error) {
      if (error instanceof Crashed) return batch;
      throw error;
    }
  }
}
