import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { SQSBatchResponse } from "aws-lambda";
import * as v from "valibot";
import { type HttpAnswer, type HttpRequest, headerOf, type Serving, serve } from "./loopback.ts";

type Message = {
  readonly id: string;
  readonly body: string;
  /** Time from which the message can be received, in milliseconds since 1970. */
  readonly visibleAt: number;
  readonly received: number;
};

const SendMessageBatch = v.object({
  QueueUrl: v.string(),
  Entries: v.pipe(
    v.array(
      v.object({
        Id: v.string(),
        MessageBody: v.string(),
        MessageGroupId: v.optional(v.string()),
        DelaySeconds: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(900)), 0),
      }),
    ),
    v.minLength(1),
    v.maxLength(10),
  ),
});

/** The batch size of the stack's event source mapping (`infra/constructs/deliveries.ts`). */
const batchSize = 10;
/** Concurrent batches: 20 on AWS, fewer here because they share a process. */
const maxConcurrency = 5;
const maxReceiveCount = 5;
/** How long a failed message stays invisible. SQS waits for minutes, which would be too long here. */
const visibilityTimeoutMs = 1000;

type QueueOptions = {
  /** Names of the queues. */
  readonly names: readonly [string, ...string[]];
  /** Calls the function with a batch. */
  readonly receive: (event: { readonly Records: readonly object[] }) => Promise<unknown>;
  /** File that stores the messages between runs. */
  readonly stateFile?: string;
};

export type Queues = Serving & {
  /** The URL of a queue for the SDK. */
  readonly urlOf: (name: string) => string;
  /** Sends a message to the first queue, as a rule of the bus does. */
  readonly put: (body: string) => void;
  /** Waits until no message is visible or in progress. Delayed messages stay. */
  readonly idle: () => Promise<void>;
  /** How often messages failed after they were received. */
  readonly failures: () => number;
  /** Bodies of the messages that failed five times. */
  readonly deadLetters: readonly string[];
};

/** Runs SQS queues on this machine with the function that receives their messages: at least once, in no order. */
export async function startQueues({ names, receive, stateFile }: QueueOptions): Promise<Queues> {
  const kept: Record<string, Message[]> =
    stateFile !== undefined && existsSync(stateFile) ? JSON.parse(readFileSync(stateFile, "utf8")) : {};
  const queues = new Map(names.map((name) => [name, new Queue(receive, kept[name] ?? [])]));
  const openQueues = [...queues.values()];

  const answer = async (request: HttpRequest): Promise<HttpAnswer> => {
    if (headerOf(request, "x-amz-target") !== "AmazonSQS.SendMessageBatch")
      return json(400, { __type: "com.amazonaws.sqs#UnsupportedOperation" });
    const sendRequest = v.safeParse(
      v.pipe(v.string(), v.parseJson(), SendMessageBatch),
      request.body?.toString() ?? "",
    );
    if (!sendRequest.success)
      return json(400, { __type: "com.amazonaws.sqs#InvalidParameterValue", message: v.summarize(sendRequest.issues) });
    const { QueueUrl, Entries } = sendRequest.output;
    const queue = queues.get(new URL(QueueUrl).pathname.slice(1));
    if (!queue) return json(400, { __type: "com.amazonaws.sqs#QueueDoesNotExist" });
    for (const { MessageBody, DelaySeconds } of Entries) queue.put(MessageBody, DelaySeconds * 1000);
    return json(200, { Successful: Entries.map(({ Id }) => ({ Id, MessageId: randomUUID() })), Failed: [] });
  };

  const serving = await serve({ port: 0, maxBodyBytes: 1024 * 1024 }, answer);
  return {
    url: serving.url,
    urlOf: (name) => new URL(name, serving.url).href,
    put: (body) => queues.get(names[0])?.put(body),
    failures: () => openQueues.reduce((sum, { failures }) => sum + failures, 0),
    get deadLetters() {
      return openQueues.flatMap(({ deadLetters }) => deadLetters);
    },
    async idle() {
      while (openQueues.some(({ isIdle }) => !isIdle)) await Promise.all(openQueues.map((queue) => queue.idle()));
    },
    async close() {
      const left = await Promise.all([...queues].map(async ([name, queue]) => [name, await queue.close()] as const));
      if (stateFile !== undefined) writeFileSync(stateFile, JSON.stringify(Object.fromEntries(left)));
      await serving.close();
    },
  };
}

/** One queue and its event source mapping. */
class Queue {
  readonly deadLetters: string[] = [];
  failures = 0;
  readonly #receive: QueueOptions["receive"];
  readonly #working = new Set<Promise<void>>();
  #waiting: Message[];
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(receive: QueueOptions["receive"], waiting: Message[]) {
    this.#receive = receive;
    this.#waiting = waiting;
    this.#pump();
  }

  put(body: string, delayMs = 0, { id, received = 0 }: { id?: string; received?: number } = {}): void {
    this.#waiting.push({ id: id ?? randomUUID(), body, visibleAt: Date.now() + delayMs, received });
    this.#pump();
  }

  get isIdle(): boolean {
    return this.#working.size === 0 && !this.#waiting.some(({ visibleAt }) => visibleAt <= Date.now());
  }

  async idle(): Promise<void> {
    while (!this.isIdle) await Promise.all(this.#working);
  }

  /** Stops receiving and returns the remaining messages. */
  async close(): Promise<readonly Message[]> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await Promise.all(this.#working);
    return this.#waiting;
  }

  #pump(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    const now = Date.now();
    while (this.#working.size < maxConcurrency) {
      const batch = new Set(this.#waiting.filter(({ visibleAt }) => visibleAt <= now).slice(0, batchSize));
      if (batch.size === 0) break;
      this.#waiting = this.#waiting.filter((message) => !batch.has(message));
      const work = this.#deliver([...batch]).finally(() => {
        this.#working.delete(work);
        this.#pump();
      });
      this.#working.add(work);
    }
    if (this.#waiting.length === 0 || this.#working.size >= maxConcurrency) return;
    const next = Math.min(...this.#waiting.map(({ visibleAt }) => visibleAt));
    this.#timer = setTimeout(() => this.#pump(), Math.max(0, next - now));
  }

  async #deliver(batch: readonly Message[]): Promise<void> {
    const Records = batch.map(({ id, body }) => ({ messageId: id, body }));
    const failed = await this.#receive({ Records }).then(
      (answer) => (answer as SQSBatchResponse).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier),
      () => batch.map(({ id }) => id),
    );
    this.failures += failed.length;
    for (const { id, body, received } of batch.filter((message) => failed.includes(message.id)))
      if (received + 1 >= maxReceiveCount) this.deadLetters.push(body);
      else this.put(body, visibilityTimeoutMs, { id, received: received + 1 });
  }
}

const json = (status: number, body: unknown): HttpAnswer => ({
  status,
  headers: [["content-type", "application/x-amz-json-1.0"]],
  body: JSON.stringify(body),
});
