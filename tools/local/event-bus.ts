import { randomUUID } from "node:crypto";
import * as v from "valibot";
import { type HttpAnswer, type HttpRequest, headerOf, type Serving, serve } from "./loopback.ts";

/** An event as EventBridge passes it to subscribers. */
export type Envelope = {
  readonly version: "0";
  readonly id: string;
  readonly "detail-type": string;
  readonly source: string;
  readonly account: string;
  readonly time: string;
  readonly region: string;
  readonly resources: readonly string[];
  readonly detail: Readonly<Record<string, unknown>>;
};

export type Bus = Serving & {
  /** Adds a function that is called with every event. */
  readonly subscribe: (subscriber: (envelope: Envelope) => void) => void;
};

const Entry = v.object({
  Source: v.string(),
  DetailType: v.string(),
  Detail: v.string(),
  EventBusName: v.string(),
  Time: v.optional(v.number()),
  Resources: v.optional(v.array(v.string()), []),
});
type Entry = v.InferOutput<typeof Entry>;
const PutEvents = v.object({ Entries: v.pipe(v.array(Entry), v.minLength(1), v.maxLength(10)) });
const Detail = v.pipe(v.string(), v.parseJson(), v.record(v.string(), v.unknown()));

const kept = 1000;

/**
 * Serves EventBridge's PutEvents on this machine, for one bus. `GET /events` returns the newest thousand events as
 * subscribers receive them, oldest first.
 */
export async function startBus(name: string, port = 0): Promise<Bus> {
  const subscribers: ((envelope: Envelope) => void)[] = [];
  const newest: Envelope[] = [];

  const put = (entry: Entry) => {
    if (entry.EventBusName !== name) return refused("NotFoundException", `There is no bus ${entry.EventBusName}`);
    const detail = v.safeParse(Detail, entry.Detail);
    if (!detail.success) return refused("MalformedDetail", "Detail is malformed.");
    const envelope = envelopeOf(entry, detail.output);
    newest.push(envelope);
    if (newest.length > kept) newest.shift();
    for (const subscriber of subscribers) subscriber(envelope);
    return { EventId: envelope.id };
  };

  const answer = async (request: HttpRequest): Promise<HttpAnswer> => {
    if (request.method === "GET" && request.target === "/events") return json(200, newest);
    if (headerOf(request, "x-amz-target") !== "AWSEvents.PutEvents")
      return json(400, { __type: "UnknownOperationException" });
    const putRequest = v.safeParse(v.pipe(v.string(), v.parseJson(), PutEvents), request.body?.toString() ?? "");
    if (!putRequest.success)
      return json(400, { __type: "ValidationException", message: v.summarize(putRequest.issues) });
    const entries = putRequest.output.Entries.map(put);
    return json(200, { FailedEntryCount: entries.filter((entry) => "ErrorCode" in entry).length, Entries: entries });
  };

  const serving = await serve({ port, maxBodyBytes: 1024 * 1024 }, answer);
  return { ...serving, subscribe: (subscriber) => void subscribers.push(subscriber) };
}

const envelopeOf = (entry: Entry, detail: Envelope["detail"]): Envelope => ({
  version: "0",
  id: randomUUID(),
  "detail-type": entry.DetailType,
  source: entry.Source,
  account: "000000000000",
  time: new Date(entry.Time === undefined ? Date.now() : entry.Time * 1000).toISOString(),
  region: process.env.AWS_REGION ?? "local",
  resources: entry.Resources,
  detail,
});

const refused = (ErrorCode: string, ErrorMessage: string) => ({ ErrorCode, ErrorMessage });

const json = (status: number, body: unknown): HttpAnswer => ({
  status,
  headers: [["content-type", status === 200 ? "application/json" : "application/x-amz-json-1.1"]],
  body: JSON.stringify(body),
});
