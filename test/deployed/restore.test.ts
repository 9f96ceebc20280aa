import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  CognitoIdentityProviderClient,
  CreateGroupCommand,
  CreateUserPoolCommand,
} from "@aws-sdk/client-cognito-identity-provider";
import {
  CreateBackupCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  UpdateTableCommand,
} from "@aws-sdk/client-dynamodb";
import { LambdaClient, ListEventSourceMappingsCommand } from "@aws-sdk/client-lambda";
import { ListObjectsV2Command, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import * as communities from "#lib/contract/communities.ts";
import { importBatch, list } from "#lib/contract/members.ts";
import { erase } from "#lib/contract/users.ts";
import { documents } from "#lib/store/table.ts";
import { createTable } from "../../tools/local/dynamodb.ts";
import { admin, startApi } from "../support/api.ts";
import { allItems } from "../support/copies.ts";
import { eventually } from "../support/eventually.ts";
import { aCommunity, type GivenCommunity } from "../support/given.ts";
import { userPool } from "../support/pool.ts";
import { clientTimeouts } from "../support/table.ts";
import {
  adapt,
  copyProject,
  deploy,
  deployedFunctions,
  type Outputs,
  outputsOf,
  project,
  writeStageFile,
} from "./deploy.ts";

const api = startApi();
const { folder = "", variables = {}, tableName = "" } = inject("deployed") ?? {};
const restoredName = "odis-restored";

/** Outputs of the last deployment. */
const outputsNow = () => outputsOf(folder);

const dynamodb = new DynamoDBClient();
const lambda = new LambdaClient();
afterAll(() => {
  dynamodb.destroy();
  lambda.destroy();
});

/** Runs a script of `tools/scripts` like an operator. @returns its output */
async function script(name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const options = { cwd: project, env: { ...process.env, ...env } };
  const { stdout } = await promisify(execFile)(process.execPath, [`tools/scripts/${name}.ts`, ...args], options);
  return stdout.trim();
}

const onStage = ["--stage", "sandbox"];

const mappings = async () => {
  const { EventSourceMappings = [] } = await lambda.send(new ListEventSourceMappingsCommand({}));
  return EventSourceMappings;
};
const mappingsOfStream = async () =>
  (await mappings()).filter(({ EventSourceArn }) => EventSourceArn?.includes(":dynamodb:"));

let community: GivenCommunity;
const inCommunity = () => ({ as: admin, params: { community_id: community.id } });
const asked = () => ({ as: admin, params: { id: community.id } });
const nameNow = async () => (await api.call(communities.show, asked())).body.name;
const recordsNow = async () => (await api.call(list, { ...inCommunity(), query: { per: 50 } })).body.data;
const membersNow = async () => (await recordsNow()).map(({ user }) => user.email ?? "").toSorted();
const address = (name: string) => `${name}-${community.id}@example.com`;
const joinAs = (names: readonly string[]) =>
  api.call(importBatch, {
    ...inCommunity(),
    body: {
      members: names.map((name) => ({
        user: { email: address(name) },
        tier_id: community.tier.id,
        status: "active" as const,
        created_at: "2020-01-01T00:00:00.000Z",
        current_period_start: "2026-11-01T00:00:00.000Z",
        current_period_end: "2026-12-01T00:00:00.000Z",
      })),
    },
  });

describe("a restore from a backup", () => {
  let backup: string | undefined;
  let erasedId: number;
  let deployed: Outputs;
  let copy: string;
  afterAll(() => rmSync(copy, { recursive: true }));
  beforeAll(async () => {
    copy = copyProject({});
    community = await aCommunity(api.table);
    await joinAs(["ana", "bo"]);
    const { data } = (await api.call(list, { ...inCommunity(), query: { per: 50 } })).body;
    erasedId = data.find(({ user }) => user.email === address("ana"))?.user.id ?? 0;
    await api.settled(community.id);
    const taken = await dynamodb.send(new CreateBackupCommand({ TableName: tableName, BackupName: "drill" }));
    backup = taken.BackupDetails?.BackupArn;
    // The restore must lose the edit and the new member, and must not bring back the erased person.
    await api.call(communities.update, { ...asked(), body: { community: { name: "Renamed" } } });
    await joinAs(["late"]);
    await api.call(erase, { as: admin, params: { id: erasedId }, body: { dry_run: false } });
  });

  it("the stack has a renamed community, a new member and an erased person that the backup does not have", async () => {
    expect([await nameNow(), await membersNow()]).toEqual(["Renamed", ["", address("bo"), address("late")]]);
  });

  // Ministack supports neither throttles nor reserved concurrency. test/infra/recovery.test.ts tests them.
  it("a deployment with maintenance stops the consumers of the stream", async () => {
    await deploy(folder, { context: { maintenance: "true" } });
    expect((await mappings()).map(({ State }) => State)).toEqual(Array.from({ length: 4 }, () => "Disabled"));
  });

  it("the restored table gets the stream, the expiry, the backups and the protection of the original table", async () => {
    const printed = await script("restore", [...onStage, "--to", restoredName, "--backup", backup ?? ""]);
    const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: restoredName }));
    expect(Table).toMatchObject({
      TableStatus: "ACTIVE",
      StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" },
    });
    const setting = `"table": {"name": "${restoredName}", "streamArn": "${Table?.LatestStreamArn}"}`;
    expect(printed).toBe(
      `Restored. To use it as the stage's table: raise epoch in stages/sandbox.json, and set ${setting}`,
    );
    writeStageFile(copy, JSON.parse(`{"epoch": 1, ${setting}}`) as object);
  });

  it("cdk deploy does not change the table of a running stack unless the new table is named", async () => {
    await expect(deploy(folder, { from: copy })).rejects.toThrow("TableInUse");
    expect((await mappingsOfStream()).map(({ EventSourceArn }) => EventSourceArn?.includes(restoredName))).toEqual([
      false,
      false,
    ]);
  });

  it("one deployment switches the stack to the restored table, and repeats the erasures before the API is open", async () => {
    const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: restoredName }));
    const args = [...onStage, "--table", restoredName];
    expect(await script("erasures-replay", args, variables)).toMatch(
      /^1 erased again, \d+ erased already, \d+ unknown, 0 failed$/,
    );
    deployed = await deploy(folder, { from: copy, table: restoredName });
    await adapt(deployed);
    expect(deployed.TableName).toBe(restoredName);
    expect((await mappingsOfStream()).map(({ EventSourceArn }) => EventSourceArn)).toEqual([
      Table?.LatestStreamArn,
      Table?.LatestStreamArn,
    ]);
    expect(await nameNow()).toBe("Mezcal Circle");
    expect(await membersNow()).toEqual(["", address("bo")]);
    // The sequence numbers belong to the next epoch, so that receivers that saw later events before the restore accept
    // new ones.
    expect((await recordsNow()).map(({ sequence }) => Math.floor(sequence / 1_000_000_000_000))).toEqual([1, 1]);
  });

  it("a rebuild finds no difference, and the consumers read the stream of the restored table", async () => {
    expect(await script("rebuild", onStage, variables)).toMatch(/communities: (nothing wrong|\d+ wrong, corrected)$/);
    await joinAs(["new"]);
    await eventually(async () => {
      expect(await script("rebuild", [...onStage, "--dry-run"], variables)).toMatch(/^\d+ communities: nothing wrong$/);
    });
  });

  it("a deployment that names the stack's own table switches back to it, in another epoch", async () => {
    writeStageFile(copy, { epoch: 2 });
    const { TableName } = await deploy(folder, { from: copy, table: "own" });
    await adapt(await outputsNow());
    expect(TableName).toBe(tableName);
    expect(await nameNow()).toBe("Renamed");
  });
});

describe("a restore of a table that was deleted", () => {
  const to = "odis-deleted-restored";
  const restored = async () => (await dynamodb.send(new DescribeTableCommand({ TableName: to }))).Table;
  let backup = "";
  beforeAll(async () => {
    const endpoint = process.env.AWS_ENDPOINT_URL ?? "";
    const client = documents(clientTimeouts, endpoint);
    await createTable(endpoint, "odis-deleted", { stream: true });
    await client.send(new PutCommand({ TableName: "odis-deleted", Item: { pk: "A", sk: "A" } }));
    const taken = await dynamodb.send(new CreateBackupCommand({ TableName: "odis-deleted", BackupName: "last" }));
    backup = taken.BackupDetails?.BackupArn ?? "";
    await dynamodb.send(new DeleteTableCommand({ TableName: "odis-deleted" }));
    client.destroy();
  });

  it("a backup is restored although its table was deleted, and the new table is protected and complete", async () => {
    await script("restore", ["--from", "odis-deleted", "--to", to, "--backup", backup]);
    expect(await restored()).toMatchObject({
      TableStatus: "ACTIVE",
      DeletionProtectionEnabled: true,
      StreamSpecification: { StreamEnabled: true },
    });
    const { TimeToLiveDescription } = await dynamodb.send(new DescribeTimeToLiveCommand({ TableName: to }));
    expect(TimeToLiveDescription?.TimeToLiveStatus).toBe("ENABLED");
  });

  it("a restore that was interrupted after the new table was made is resumed, and gives the same stream", async () => {
    const stream = (await restored())?.LatestStreamArn;
    await dynamodb.send(new UpdateTableCommand({ TableName: to, DeletionProtectionEnabled: false }));
    expect(await script("restore", ["--to", to, "--backup", backup, "--resume"])).toContain(`"streamArn": "${stream}"`);
    expect(await restored()).toMatchObject({ DeletionProtectionEnabled: true });
    const items = await allItems(documents(clientTimeouts, process.env.AWS_ENDPOINT_URL), to);
    expect(items).toEqual([{ pk: "A", sk: "A" }]);
  });

  it("a restore refuses a table that was not restored from this source", async () => {
    await expect(script("restore", ["--to", to, "--backup", `${backup}0`])).rejects.toThrow("Choose another name");
  });
});

it("records that a consumer failed to handle are redriven to it, and then deleted", async () => {
  const { FailedRecordsBucketName: bucket } = await outputsNow();
  const functions = await deployedFunctions();
  const functionArn = functions.get("TriggersEvents")?.FunctionArn;
  const s3 = new S3Client({ forcePathStyle: true });
  const Key = "aws/lambda/1/shardId-1/2026/11/22/2026-11-22T12.00.00-1";
  const Body = JSON.stringify({ requestContext: { functionArn }, payload: JSON.stringify({ Records: [] }) });
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body }));
  expect(await script("redrive", onStage)).toBe("1 batches handled, 0 failed again");
  expect((await s3.send(new ListObjectsV2Command({ Bucket: bucket }))).Contents ?? []).toEqual([]);
  s3.destroy();
});

it("accounts of a pool are created in another one, with their groups and without a password", async () => {
  const { userPoolId = "", clientId = "" } = inject("deployed") ?? {};
  const first = userPool({ userPoolId, clientId });
  const { email } = await first.addUser({ groups: ["editor"], givenName: "Nadia" });
  first.close();
  const cognito = new CognitoIdentityProviderClient();
  const made = await cognito.send(
    new CreateUserPoolCommand({
      PoolName: "another",
      UsernameAttributes: ["email"],
      AutoVerifiedAttributes: ["email"],
    }),
  );
  const second = made.UserPool?.Id ?? "";
  for (const GroupName of ["admin", "editor"])
    await cognito.send(new CreateGroupCommand({ UserPoolId: second, GroupName }));
  cognito.destroy();

  const place = mkdtempSync(join(tmpdir(), "odis-pool-"));
  const file = join(place, "accounts.jsonl");
  const again = join(place, "again.jsonl");
  await script("pool-export", [...onStage, "--out", file]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const lines = (name: string) => readFileSync(name, "utf8").trim().split("\n").toSorted();
  expect(lines(file)).toContain(JSON.stringify({ email, given_name: "Nadia", groups: ["editor"] }));
  const count = lines(file).length;
  const imported = () => script("pool-import", ["--pool", second, "--from", file]);
  expect(await imported()).toBe(`${count} created, 0 already existed, 0 failed`);
  expect(await imported()).toBe(`0 created, ${count} already existed, 0 failed`);
  await script("pool-export", ["--pool", second, "--out", again]);
  expect(lines(again)).toEqual(lines(file));
  rmSync(place, { recursive: true });
});
