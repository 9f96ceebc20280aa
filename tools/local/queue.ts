import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { SQSBatchResponse } from "aws-lambda";
import * as v from "valibot";
import { type HttpAnswer, type HttpRequest, headerOf, type Serving, serve } from "./loopback.ts";

type Message = {
  readonly id: string;
  readonly body: string;
  /** From when it can be received, in milliseconds since 1970. */
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

/** As the event source mapping of the stack has them (`infra/constructs/deliveries.ts`). */
const batchSize = 10;
const maxConcurrency = 20;
const maxReceiveCount = 5;
/** SQS makes a failed message visible again after minutes; here nobody waits for that. */
const visibilityTimeoutMs = 1000;

type Options = {
  /** Calls the function with a batch. */
  readonly receive: (event: { readonly Records: readonly object[] }) => Promise<unknown>;
  /** Where messages are kept while nothing runs. */
  readonly stateFile?: string;
};

export type Queue = Serving & {
  /** Puts a message into the queue, as a rule of the bus does. */
  readonly put: (body: string) => void;
  /** Waits until no message is visible or being worked on. Messages with a delay stay. */
  readonly idle: () => Promise<void>;
  /** Bodies of the messages that failed five times. */
  readonly deadLetters: readonly string[];
};

/** One SQS queue on this machine, with the function that receives its messages: at least once, in no order. */
export async function startQueue({ receive, stateFile }: Options): Promise<Queue> {
  let waiting: Message[] =
    stateFile !== undefined && existsSync(stateFile) ? JSON.parse(readFileSync(stateFile, "utf8")) : [];
  const deadLetters: string[] = [];
  const working = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const put = (body: string, delayMs = 0, id: string = randomUUID(), received = 0) => {
    waiting.push({ id, body, visibleAt: Date.now() + delayMs, received });
    pump();
  };

  const pump = () => {
    clearTimeout(timer);
    if (isClosed) return;
    const now = Date.now();
    while (working.size < maxConcurrency) {
      const batch = waiting.filter(({ visibleAt }) => visibleAt <= now).slice(0, batchSize);
      if (batch.length === 0) break;
      waiting = waiting.filter((message) => !batch.includes(message));
      const work = deliver(batch).finally(() => {
        working.delete(work);
        pump();
      });
      working.add(work);
    }
    const next = Math.min(...waiting.map(({ visibleAt }) => visibleAt));
    if (waiting.length > 0 && working.size < maxConcurrency) timer = setTimeout(pump, Math.max(0, next - now));
  };

  async function deliver(batch: readonly Message[]): Promise<void> {
    const Records = batch.map(({ id, body }) => ({ messageId: id, body }));
    const failed = await receive({ Records }).then(
      (answer) => (answer as SQSBatchResponse).batchItemFailures.map(({ itemIdentifier }) => itemIdentifier),
      () => batch.map(({ id }) => id),
    );
    for (const { id, body, received } of batch.filter((message) => failed.includes(message.id)))
      if (received + 1 >= maxReceiveCount) deadLetters.push(body);
      else put(body, visibilityTimeoutMs, id, received + 1);
  }

  const answer = async (request: HttpRequest): Promise<HttpAnswer> => {
    if (headerOf(request, "x-amz-target") !== "AmazonSQS.SendMessageBatch")
      return json(400, { __type: "com.amazonaws.sqs#UnsupportedOperation" });
    const asked = v.safeParse(v.pipe(v.string(), v.parseJson(), SendMessageBatch), request.body?.toString() ?? "");
    if (!asked.success)
      return json(400, { __type: "com.amazonaws.sqs#InvalidParameterValue", message: v.summarize(asked.issues) });
    const { Entries } = asked.output;
    for (const { MessageBody, DelaySeconds } of Entries) put(MessageBody, DelaySeconds * 1000);
    return json(200, { Successful: Entries.map(({ Id }) => ({ Id, MessageId: randomUUID() })), Failed: [] });
  };

  const serving = await serve({ port: 0, maxBodyBytes: 1024 * 1024 }, answer);
  pump();
  return {
    url: serving.url,
    put: (body) => put(body),
    deadLetters,
    async idle() {
      while (working.size > 0 || waiting.some(({ visibleAt }) => visibleAt <= Date.now())) await Promise.all(working);
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await Promise.all(working);
      if (stateFile !== undefined) writeFileSync(stateFile, JSON.stringify(waiting));
      await serving.close();
    },
  };
}

const json = (status: number, body: unknown): HttpAnswer => ({
  status,
  headers: [["content-type", "application/x-amz-json-1.0"]],
  body: JSON.stringify(body),
});
