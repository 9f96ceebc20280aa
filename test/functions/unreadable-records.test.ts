import { DeleteObjectCommand, GetObjectCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import type { DynamoDBBatchResponse } from "aws-lambda";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import * as communities from "#lib/store/communities.ts";
import { type Bus, startBus } from "../../tools/local/event-bus.ts";
import { lambdaContext } from "../../tools/local/lambda-context.ts";
import { type HttpRequest, type Serving, serve } from "../../tools/local/loopback.ts";
import { startS3 } from "../../tools/local/s3.ts";
import { redrive } from "../../tools/scripts/redrive-all.ts";
import { memberRecord, type Wire } from "../lib/projections/stream.ts";
import { startTable } from "../support/direct.ts";
import { aCommunity, type GivenCommunity, memberOf } from "../support/given.ts";
import { metricsOf, startLog } from "../support/log.ts";

const test = startTable();
const log = startLog();

type Event = { readonly Records: readonly Wire[] };
type Handler = (event: Event, context: ReturnType<typeof lambdaContext>) => Promise<DynamoDBBatchResponse>;
const names = ["events", "projections"] as const;
type Name = (typeof names)[number];

let handlers: Readonly<Record<Name, Handler>>;
let bus: Bus;
let s3: Serving;
let lambda: Serving;
let client: S3Client;
/** The ids of the events on the bus. */
const ids: string[] = [];
/** Makes records readable, like a later version of the function would. */
let repair = (event: Event): Event => event;

beforeAll(async () => {
  bus = await startBus("odis-test");
  bus.subscribe(({ detail }) => void ids.push(String(detail.id)));
  s3 = await startS3({ secretAccessKey: "test" });
  lambda = await serve({ port: 0, maxBodyBytes: 100_000 }, async ({ target, body }: HttpRequest) => {
    const name = /function:(\w+)/.exec(decodeURIComponent(target))?.[1] as Name;
    const answer = await call(name, repair(JSON.parse(String(body)) as Event));
    return { status: 200, headers: [], body: JSON.stringify(answer) };
  });
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
  vi.stubEnv("AWS_ENDPOINT_URL_EVENTBRIDGE", bus.url);
  vi.stubEnv("AWS_ENDPOINT_URL_LAMBDA", lambda.url);
  vi.stubEnv("AWS_ENDPOINT_URL_S3", s3.url);
  vi.stubEnv("EVENT_BUS_NAME", "odis-test");
  vi.stubEnv("FAILED_RECORDS_BUCKET", "failed");
  vi.stubEnv("METRICS_NAMESPACE", "odis-test");
  vi.stubEnv("TABLE_NAME", test.name);
  client = new S3Client({ endpoint: s3.url, region: "eu-central-1", forcePathStyle: true });
  const [{ handler: events }, { handler: projections }] = await Promise.all([
    import("../../functions/triggers/events.ts"),
    import("../../functions/triggers/projections.ts"),
  ]);
  handlers = { events: events as never, projections: projections as never };
});
afterAll(async () => {
  vi.unstubAllEnvs();
  client.destroy();
  await bus.close();
  await s3.close();
  await lambda.close();
});

const call = (name: Name, event: Event) => handlers[name](event, lambdaContext(name, 30));

/** The content of the bucket of failed records. */
async function bucket(): Promise<{ readonly payload: string }[]> {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: "failed", Prefix: "aws/lambda/" }));
  return Promise.all(
    Contents.map(async ({ Key }) => {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: "failed", Key }));
      return JSON.parse((await Body?.transformToString()) ?? "") as { readonly payload: string };
    }),
  );
}
const redriveAll = () =>
  redrive("failed", { since: undefined, until: undefined, isDryRun: false, onProgress: () => {}, onLine: () => {} });

let community: GivenCommunity;
let records: Wire[];
let poison: Wire;
beforeEach(async () => {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: "failed" }));
  for (const { Key } of Contents) await client.send(new DeleteObjectCommand({ Bucket: "failed", Key }));
  community = await aCommunity(test.table);
  records = [1, 2, 3].map(() => memberRecord(undefined, memberOf(community)));
  poison = records[1] as Wire;
  (poison.dynamodb.NewImage as Record<string, unknown>).status = { S: "confused" };
  ids.splice(0);
  repair = (event) => event;
});

/** The outcome of records of joins in each consumer: the ids of the first events, or the number of members. */
const outcome: Readonly<Record<Name, () => Promise<unknown>>> = {
  events: async () => ids.filter((id) => id.endsWith("-0")).toSorted(),
  projections: async () => {
    const { figures } = await communities.open(test.table, community.id);
    return Object.values(figures?.members ?? {}).reduce((sum, count) => sum + count, 0);
  },
};
const expected: Readonly<Record<Name, (those: readonly Wire[]) => unknown>> = {
  events: (those) => those.map(({ eventID }) => `${eventID}-0`).toSorted(),
  projections: (those) => those.length,
};

describe.each(names)("an unreadable record of the consumer %s", (name) => {
  it(`an unreadable record is set aside unchanged by ${name}, and delays no other record of its batch`, async () => {
    log.clear();
    expect(await call(name, { Records: records })).toEqual({ batchItemFailures: [] });
    expect(await outcome[name]()).toEqual(expected[name](records.filter((record) => record !== poison)));
    const stored = await bucket();
    expect(stored).toMatchObject([{ requestContext: { functionArn: expect.stringMatching(`:function:${name}$`) } }]);
    expect(stored.map(({ payload }): unknown => JSON.parse(payload))).toEqual([{ Records: [poison] }]);
    const [line = {}] = log.lines("info").filter((one) => one.records_set_aside !== undefined);
    expect(line).toMatchObject({ route: name, records_set_aside: 1 });
    expect(metricsOf(line)).toMatchObject([{ Dimensions: [["route"]] }]);
    expect(JSON.stringify(metricsOf(line))).toContain("records_set_aside");
  });

  it(`an unreadable record stays in the bucket if a redrive fails again, and is handled once ${name} can read it`, async () => {
    await call(name, { Records: records });
    expect(await redriveAll()).toEqual({ sent: 0, failed: 1 });
    expect(await bucket()).toHaveLength(1);
    repair = (event) => JSON.parse(JSON.stringify(event).replaceAll("confused", "active")) as Event;
    expect(await redriveAll()).toEqual({ sent: 1, failed: 0 });
    expect(await bucket()).toEqual([]);
    expect(await outcome[name]()).toEqual(expected[name](records));
  });
});
