import {
  type CognitoIdentityProviderClient,
  InvalidParameterException,
  ListGroupsCommand,
  ListUsersCommand,
  ListUsersInGroupCommand,
  type UserType,
} from "@aws-sdk/client-cognito-identity-provider";
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { type ExportContext, exportAccounts, exportKey, exportPeriodMs } from "#lib/accounts/export.ts";
import { Account } from "#lib/accounts/list.ts";
import { exportDaily } from "../../../functions/triggers/export-accounts.ts";
import { startS3 } from "../../../tools/local/s3.ts";
import { setUp } from "../../support/set-up.ts";

const bucket = "odis-accounts";
const poolId = "eu-central-1_Test";
/** A page of 60 accounts has 123 KB, so a part has 43 pages. */
const longName = "n".repeat(2000);

const account = (n: number, change: Partial<UserType> = {}, verified = "true"): UserType => ({
  Username: `u${n}`,
  Enabled: true,
  UserStatus: "CONFIRMED",
  Attributes: [
    { Name: "sub", Value: `u${n}` },
    { Name: "email", Value: `person${n}@example.com` },
    { Name: "email_verified", Value: verified },
    { Name: "given_name", Value: longName },
  ],
  ...change,
});

/** A page of a list of groups or of their users: at most 60, and the token of the next page. */
function pageOf<T>(all: readonly T[], token = "0"): [page: readonly T[], next: string | undefined] {
  const end = Number(token) + 60;
  return [all.slice(Number(token), end), end < all.length ? String(end) : undefined];
}

/** A pool with these accounts, as the SDK's client shows it. */
function poolOf(users: readonly UserType[]) {
  const pool = {
    users,
    pages: 0,
    /** The request for this page fails. */
    broken: Number.NaN,
    groups: { editor: ["u1"] } as Readonly<Record<string, readonly string[]>>,
  };
  const send = async (command: object) => {
    if (command instanceof ListUsersInGroupCommand) {
      const { GroupName = "", NextToken: token } = command.input;
      const [names, NextToken] = pageOf(pool.groups[GroupName] ?? [], token);
      return { Users: names.map((Username) => ({ Username })), NextToken };
    }
    if (command instanceof ListGroupsCommand) {
      const [names, NextToken] = pageOf(Object.keys(pool.groups), command.input.NextToken);
      return { Groups: names.map((GroupName) => ({ GroupName })), NextToken };
    }
    if (!(command instanceof ListUsersCommand)) throw new Error("The pool does not know the command");
    const { PaginationToken = "0", Limit = 0 } = command.input;
    const [start, end] = [Number(PaginationToken), Number(PaginationToken) + Limit];
    pool.pages++;
    if (start === pool.broken * Limit)
      throw new InvalidParameterException({ message: "Invalid pagination token", $metadata: {} });
    return { Users: pool.users.slice(start, end), ...(end < pool.users.length && { PaginationToken: String(end) }) };
  };
  return { pool, cognito: { send } as unknown as CognitoIdentityProviderClient };
}

const many = (count: number) => Array.from({ length: count }, (_, n) => account(n));
const always = () => 1;

const server = setUp(() => startS3({ secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY ?? "" }));
afterAll(() => server.close());

let time: number;
let s3: S3Client;
let context: ExportContext;
let pool: ReturnType<typeof poolOf>["pool"];
function open(users: readonly UserType[], id = poolId) {
  const made = poolOf(users);
  ({ pool } = made);
  const wait = async (milliseconds: number) => void (time += milliseconds);
  context = { cognito: made.cognito, s3, bucket, poolId: id, runtime: { now: () => new Date(time), wait } };
}
let tests = 0;
beforeEach(() => {
  time = Date.parse("2026-11-27T12:00:00Z");
  s3 = new S3Client({ endpoint: server.url, forcePathStyle: true });
  open(many(130), `${poolId}${tests++}`);
});

async function exported(): Promise<Account[]> {
  const object = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: exportKey(context.poolId) }));
  const lines = (await object.Body?.transformToString())?.split("\n") ?? [];
  expect(lines.pop()).toBe("");
  return lines.map((line) => JSON.parse(line) as Account);
}
const emails = async () => (await exported()).map(({ email }) => email);
const allEmails = (count: number) => Array.from({ length: count }, (_, n) => `person${n}@example.com`);
/** A run that ends after so many pages. */
const runFor = (pages: number) => {
  const end = pool.pages + pages;
  return exportAccounts(context, { left: () => end - pool.pages });
};

describe("an export of the accounts", () => {
  it("an export has a line for each account with its names and groups, and no sub", async () => {
    expect(await exportAccounts(context, { left: always })).toEqual({ status: "finished", accounts: 130, left_out: 0 });
    const [first, second] = await exported();
    expect(first).toEqual({ email: "person0@example.com", given_name: longName, groups: [] });
    expect(second?.groups).toEqual(["editor"]);
    expect(await emails()).toEqual(allEmails(130));
  });

  it("an export leaves out accounts that are unconfirmed, disabled or without a verified address", async () => {
    open([
      account(0, { UserStatus: "UNCONFIRMED" }),
      account(1, { Enabled: false }),
      account(2, {}, "false"),
      account(3),
    ]);
    expect(await exportAccounts(context, { left: always })).toEqual({ status: "finished", accounts: 1, left_out: 3 });
    expect(await emails()).toEqual(["person3@example.com"]);
  });

  it("an export has the groups of each account, even if there are many groups and many accounts in one", async () => {
    const names = Array.from({ length: 61 }, (_, n) => `group${n}`);
    pool.groups = {
      ...Object.fromEntries(names.map((name) => [name, ["u7"]])),
      editor: Array.from({ length: 130 }, (_, n) => `u${n}`),
    };
    await exportAccounts(context, { left: always });
    const groups = (await exported()).map((one) => one.groups);
    expect(groups[7]).toEqual([...names, "editor"]);
    expect(groups.toSpliced(7, 1)).toEqual(Array.from({ length: 129 }, () => ["editor"]));
  });

  it("an export of a large pool is uploaded in parts", async () => {
    open(many(6000), "eu-central-1_Large");
    expect(await exportAccounts(context, { left: always })).toMatchObject({ accounts: 6000 });
    expect(await emails()).toEqual(allEmails(6000));
  });

  it("an export reads at most 20 pages per second, of the 30 that Cognito allows", async () => {
    const start = time;
    await exportAccounts(context, { left: always });
    expect(pool.pages).toBe(3);
    expect(time - start).toBe(100);
  });
});

describe("an export that does not end within a run", () => {
  it("the next run resumes after the last complete part, and the export has each account once", async () => {
    open(many(6000), "eu-central-1_Resumed");
    expect(await runFor(60)).toEqual({ status: "unfinished", exported_at: undefined });
    expect(await runFor(60)).toMatchObject({ status: "finished", accounts: 6000 });
    // The second run began with the page after the 43 of the first part.
    expect(pool.pages).toBe(60 + 100 - 43);
    expect(await emails()).toEqual(allEmails(6000));
  });

  it("a resumed export counts the accounts of all runs that it contains and leaves out", async () => {
    const users = many(6000).map((user, n) => (n % 10 === 0 ? account(n, { Enabled: false }) : user));
    open(users, "eu-central-1_ResumedWithoutSome");
    expect(await runFor(60)).toMatchObject({ status: "unfinished" });
    expect(await runFor(60)).toEqual({ status: "finished", accounts: 5400, left_out: 600 });
  });

  it("readers see the previous export until the new one is complete", async () => {
    await exportAccounts(context, { left: always });
    time += exportPeriodMs;
    pool.users = many(6000);
    await runFor(60);
    expect(await emails()).toEqual(allEmails(130));
    await runFor(60);
    expect(await emails()).toEqual(allEmails(6000));
  });

  it("an export that cannot be resumed fails once, and the next run begins anew", async () => {
    open(many(6000), "eu-central-1_Expired");
    await runFor(60);
    pool.broken = 43;
    await expect(runFor(60)).rejects.toThrow("Invalid pagination token");
    pool.broken = Number.NaN;
    expect(await runFor(100)).toMatchObject({ status: "finished", accounts: 6000 });
    expect(await emails()).toEqual(allEmails(6000));
  });

  it("an export that was interrupted for more than half a day begins anew", async () => {
    open(many(6000), "eu-central-1_Old");
    await runFor(60);
    time += exportPeriodMs / 2;
    const before = pool.pages;
    await runFor(100);
    expect(pool.pages - before).toBe(100);
  });
});

describe("the daily export", () => {
  it("the accounts are exported again a day after the last export began", async () => {
    await exportAccounts(context, { left: always });
    const exported_at = "2026-11-27T12:00:00.000Z";
    time = Date.parse(exported_at) + exportPeriodMs - 1;
    expect(await exportAccounts(context, { left: always })).toEqual({ status: "recent", exported_at });
    expect(await exportAccounts(context, { left: always, isForced: true })).toMatchObject({ status: "finished" });
    time += exportPeriodMs;
    expect(await exportAccounts(context, { left: always })).toMatchObject({ status: "finished" });
  });

  it("a new pool does not replace the export of a lost one", async () => {
    await exportAccounts(context, { left: always });
    const lost = context;
    open([], "eu-central-1_New");
    expect(await exportAccounts(context, { left: always })).toMatchObject({ status: "finished", accounts: 0 });
    context = lost;
    expect(await emails()).toEqual(allEmails(130));
  });

  it("a run fails if no export was completed for two days", async () => {
    await exportDaily(context, always);
    pool.users = many(6000);
    time += exportPeriodMs;
    expect(await exportDaily(context, () => 0)).toMatchObject({ status: "unfinished" });
    time += exportPeriodMs + 1;
    await expect(exportDaily(context, () => 0)).rejects.toThrow(
      "The accounts were last exported at 2026-11-27T12:00:00.000Z",
    );
  });
});
