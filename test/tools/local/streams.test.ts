import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { sources } from "#lib/projections/sources.ts";
import { keys } from "#lib/store/keys.ts";
import { write } from "#lib/store/write.ts";
import { type Streams, startStreams } from "../../../tools/local/streams.ts";
import { startTable } from "../../support/direct.ts";
import { temporaryFolder } from "../../support/set-up.ts";

const test = startTable({ stream: true });

const folder = temporaryFolder();
const running: Streams[] = [];
afterEach(async () => {
  for (const streams of running.splice(0)) await streams.stop();
});

/** Streams that are read only on request. `seen` receives the names of delivered items. */
async function start(seen: string[]): Promise<Streams> {
  const streams = await startStreams({
    endpoint: process.env.AWS_ENDPOINT_URL_DYNAMODB ?? "",
    tableName: test.table.name,
    checkpointFile: join(folder, "stream.json"),
    pollMs: 60_000,
    consumers: [
      {
        sources,
        async invoke({ Records }) {
          for (const { eventName, dynamodb } of Records) seen.push(`${String(eventName)} ${dynamodb.Keys.sk.S}`);
        },
      },
    ],
  });
  running.push(streams);
  return streams;
}

it("the local stream delivers each change to the projections and resumes after a restart", async () => {
  const member = keys.member(1, 7);
  await write(test.table, [{ put: { ...member, n: 1 } }, { put: { ...keys.subject("sub"), n: 1 } }]);
  await write(test.table, [{ put: { ...keys.stats(1), n: 1 } }]);
  const first: string[] = [];
  const streams = await start(first);
  await streams.settled();
  expect(first).toEqual([`INSERT ${member.sk}`]);

  await write(test.table, [{ put: { ...member, n: 2 } }]);
  await streams.settled();
  expect(first.slice(1)).toEqual([`MODIFY ${member.sk}`]);
  await streams.stop();

  await write(test.table, [{ delete: member }]);
  const second: string[] = [];
  await (await start(second)).settled();
  expect(second).toEqual([`REMOVE ${member.sk}`]);
});
