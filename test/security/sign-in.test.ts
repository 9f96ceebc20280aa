import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { logged } from "#lib/log.ts";
import { proveMailbox, type SigningIn, signIn, UnprovenAccount } from "#lib/store/sign-in.ts";
import type { Writer } from "#lib/store/table.ts";
import * as users from "#lib/store/users.ts";
import { write } from "#lib/store/write.ts";
import { aCommunity, anInvitation } from "../support/given.ts";
import { metricsOf } from "../support/log.ts";
import { openTable } from "../support/table.ts";

let opened: Awaited<ReturnType<typeof openTable>>;
let table: Writer;
/** The accounts in the pool. */
const accounts = new Set<string>();

beforeAll(async () => {
  opened = await openTable("sign-in");
  ({ table } = opened);
});
afterAll(() => opened.close());

const now = new Date("2026-11-22T00:00:00.000Z");
const options = { now, isGone: async (sub: string) => !accounts.has(sub) };
let people = 0;

/** Creates an account in the pool. Each call uses another address. */
function person(more: Partial<SigningIn> = {}): SigningIn {
  const sub = more.sub ?? randomUUID();
  accounts.add(sub);
  return {
    sub,
    accountName: sub,
    username: undefined,
    email: `person${++people}@example.com`,
    first_name: undefined,
    last_name: undefined,
    isVerified: true,
    isInvited: false,
    ...more,
  };
}

const enter = (who: SigningIn) => signIn(table, who, options);
const profileOf = async (id: number) => users.find(table, id);

/** Creates the profile that an import creates. Returns its id. */
async function imported(email: string): Promise<number> {
  // Ids that are drawn within one millisecond can collide.
  const at = new Date(now.getTime() - ++people);
  const user = users.newUser({ sub: null, username: "imported", email, first_name: "Im" }, at, Math.random);
  await write(table, users.profile(user, { ownsEmail: true }));
  return user.id;
}

describe("a profile is updated from the pool", () => {
  it("a verified new address and new names are stored at the next sign-in, and the old address finds no profile", async () => {
    const who = person({ first_name: "Anna" });
    const old = who.email ?? "";
    const id = await enter(who);
    const email = `new-${old}`;
    expect(await enter({ ...who, email, first_name: "Ann", last_name: "Lee", username: "ann" })).toBe(id);
    expect(await profileOf(id)).toMatchObject({ email, first_name: "Ann", last_name: "Lee", username: "ann" });
    expect(await users.idOfEmail(table, email)).toBe(id);
    expect(await users.idOfEmail(table, old)).toBeUndefined();
  });

  it("an unverified address does not change a profile", async () => {
    const who = person();
    const id = await enter(who);
    await enter({ ...who, email: "unverified@example.com", isVerified: false });
    expect(await profileOf(id)).toMatchObject({ email: who.email });
    expect(await users.idOfEmail(table, "unverified@example.com")).toBeUndefined();
  });

  it("a sign-in without changes writes nothing", async () => {
    const who = person({ first_name: "Same" });
    const id = await enter(who);
    const before = await profileOf(id);
    const later = { ...options, now: new Date(now.getTime() + 60_000) };
    expect(await signIn(table, who, later)).toBe(id);
    expect(await profileOf(id)).toEqual(before);
  });

  it("attributes that the pool does not have stay unchanged in the profile", async () => {
    const email = "kept@example.com";
    const id = await imported(email);
    await enter(person({ email, isInvited: true }));
    expect(await profileOf(id)).toMatchObject({ username: "imported", first_name: "Im" });
  });

  it("an address of another profile is not stored, and the profile loses the address that its account has given up", async () => {
    const [one, other] = [person(), person()];
    const [first, second] = [await enter(one), await enter(other)];
    await enter({ ...other, email: one.email });
    expect(await profileOf(second)).toMatchObject({ email: "" });
    expect(await users.idOfEmail(table, one.email ?? "")).toBe(first);
    expect(await users.idOfEmail(table, other.email ?? "")).toBeUndefined();

    // The address becomes available once the other profile has a new address.
    await enter({ ...one, email: "moved-on@example.com" });
    await enter({ ...other, email: one.email });
    expect(await profileOf(second)).toMatchObject({ email: one.email });
  });

  it("an address that an account has given up for that of an imported profile leads to its new holder only", async () => {
    const anna = person();
    const desk = anna.email ?? "";
    const annaId = await enter(anna);
    const email = `home-${desk}`;
    const importedId = await imported(email);
    await enter({ ...anna, email });
    const bert = person({ email: desk });
    const bertId = await enter(bert);
    expect([annaId, importedId]).not.toContain(bertId);
    expect(await users.idOfEmail(table, desk)).toBe(bertId);
    expect(await users.idOfEmail(table, email)).toBe(importedId);

    accounts.delete(anna.sub);
    expect(await enter(bert)).toBe(bertId);
  });

  it("an unverified address of another profile does not take a profile's address away", async () => {
    const [who, other] = [person(), person()];
    const id = await enter(who);
    await enter(other);
    await enter({ ...who, email: other.email, isVerified: false });
    expect(await profileOf(id)).toMatchObject({ email: who.email });
    expect(await users.idOfEmail(table, who.email ?? "")).toBe(id);
  });

  it("of twenty people who claim a free address at the same time, one gets it", async () => {
    const email = "contested@example.com";
    const all = Array.from({ length: 20 }, () => person());
    const ids = await Promise.all(all.map(enter));
    await Promise.all(all.map((who) => enter({ ...who, email })));
    const holders = (await Promise.all(ids.map(profileOf))).filter((user) => user?.email === email);
    expect(holders.map((user) => user?.id)).toEqual([await users.idOfEmail(table, email)]);
  });
});

describe("look-alike addresses", () => {
  it("addresses that differ only in the case of ASCII letters are the same", async () => {
    const id = await imported("Case@Example.com");
    expect(await enter(person({ email: "cASE@example.COM", isInvited: true }))).toBe(id);
  });

  it.each([
    "\u212Aate@example.com",
    "\uFF4Bate@example.com",
    "kate+x@example.com",
    " kate@example.com",
    "kate\u0000@example.com",
  ])("the address %j does not find the profile of kate@example.com", async (email) => {
    const known = (await users.idOfEmail(table, "kate@example.com")) ?? (await imported("kate@example.com"));
    expect(await enter(person({ email, isInvited: true }))).not.toBe(known);
  });

  it("an unverified address does not find an imported profile, and is not stored in the new one", async () => {
    const known = await imported("victim@example.com");
    const id = await enter(person({ email: "victim@example.com", isVerified: false, isInvited: true }));
    expect(id).not.toBe(known);
    expect(await profileOf(id)).toMatchObject({ email: "" });
  });
});

describe("recreated accounts, and sign-ups that somebody else began", () => {
  it("a recreated account gets the old profile once the old account is deleted, and the old sub finds no profile", async () => {
    const first = person();
    const id = await enter(first);
    accounts.delete(first.sub);
    const second = person({ email: first.email });
    await proveMailbox(table, second.sub, now);
    expect(await enter(second)).toBe(id);
    expect(await users.idOf(table, first.sub)).toBeUndefined();
    expect(await profileOf(id)).toMatchObject({ sub: second.sub });
  });

  it("while the old account exists, another account with its address gets its own profile without the address", async () => {
    const first = person();
    const id = await enter(first);
    const second = person({ email: first.email });
    await proveMailbox(table, second.sub, now);
    const other = await enter(second);
    expect(other).not.toBe(id);
    expect(await profileOf(other)).toMatchObject({ email: "" });
    expect(await users.idOf(table, first.sub)).toBe(id);
  });

  it("if the pool is unavailable, the sign-in fails and creates no second profile", async () => {
    const first = person();
    await enter(first);
    const second = person({ email: first.email, isInvited: true });
    const isGone = () => Promise.reject(new Error("The pool cannot be reached"));
    await expect(signIn(table, second, { now, isGone })).rejects.toThrow("cannot be reached");
    expect(await users.idOf(table, second.sub)).toBeUndefined();
  });

  it.each(["imported", "of a deleted account"])(
    "a sign-up that somebody else began gets no profile that is %s, until the password is set from the mailbox",
    async (kind) => {
      const email = `victim-${kind.length}@example.com`;
      let known: number;
      if (kind === "imported") known = await imported(email);
      else {
        const first = person({ email });
        known = await enter(first);
        accounts.delete(first.sub);
      }
      const account = person({ email });
      await expect(enter(account)).rejects.toThrow(UnprovenAccount);
      await expect(enter(account)).rejects.toThrow("Reset the password");
      expect(await users.idOf(table, account.sub)).toBeUndefined();

      await proveMailbox(table, account.sub, now);
      expect(await enter(account)).toBe(known);
    },
  );

  it("an account whose address was invited to a team gets a profile once the password is set from the mailbox, or sent to it", async () => {
    const [account, sent] = [person(), person({ isInvited: true })];
    const community = await aCommunity(table);
    for (const { email = "" } of [account, sent]) await anInvitation(table, community, { email });
    await expect(enter(account)).rejects.toThrow(UnprovenAccount);
    expect(await users.idOf(table, account.sub)).toBeUndefined();
    await proveMailbox(table, account.sub, now);
    expect(await profileOf(await enter(account))).toMatchObject({ email: account.email });
    expect(await profileOf(await enter(sent))).toMatchObject({ email: sent.email });
  });

  it("of twenty accounts that take over an imported profile at the same time, one gets it", async () => {
    const email = "race@example.com";
    const known = await imported(email);
    const all = Array.from({ length: 20 }, () => person({ email, isInvited: true }));
    const ids = await Promise.all(all.map(enter));
    expect(ids.filter((id) => id === known)).toHaveLength(1);
    expect(new Set(ids).size).toBe(20);
  });
});

describe("attributes from the pool are truncated to the limits of a profile", () => {
  it("names from the pool are truncated, normalized to NFC, and stripped of control characters and direction overrides", async () => {
    const who = person({
      username: `\u202Elivc\u0000${"\uFDFA".repeat(2048)}`,
      first_name: "a\nb\u2066",
      last_name: "e\u0301",
    });
    const user = await profileOf(await enter(who));
    expect(user).toMatchObject({ username: `livc${"\uFDFA".repeat(124)}`, first_name: "ab", last_name: "\u00E9" });
  });

  it("a username without visible characters counts as missing", async () => {
    const who = person({ username: "\u200B\u3164" });
    expect(await profileOf(await enter(who))).toMatchObject({ username: who.sub });
  });

  it("an address that exceeds the maximum length of an e-mail address counts as missing", async () => {
    const id = await enter(person({ email: `${"x".repeat(250)}@example.com` }));
    expect(await profileOf(id)).toMatchObject({ email: "" });
  });
});

it("the trigger counts sign-ins that it refuses until the password is set from the mailbox, for the alarm on its errors", async () => {
  const email = "refused@example.com";
  await imported(email);
  vi.stubEnv("TABLE_NAME", opened.name);
  const { handler } = await import("../../functions/triggers/pre-token-generation.ts");
  vi.unstubAllEnvs();
  const output = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  const signingIn = (userAttributes: Record<string, string>) =>
    handler({ userName: "someone", request: { userAttributes, groupConfiguration: {} } } as never);
  await expect(signingIn({ sub: randomUUID(), email, email_verified: "true" })).rejects.toThrow(UnprovenAccount);
  const lines = output.mock.calls.map(([line]) => JSON.parse(String(line)) as Parameters<typeof metricsOf>[0]);
  output.mockRestore();
  expect(lines).toMatchObject([{ route: "pre-token-generation", unproven_account: 1 }]);
  expect(lines.flatMap(metricsOf)).toMatchObject([
    { Dimensions: [["route"]], Metrics: [{ Name: "unproven_account", Unit: "Count" }] },
  ]);
});

it("an address conflict between profiles is counted in a metric", async () => {
  const [one, other] = [person(), person()];
  await enter(one);
  await enter(other);
  const output = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  await logged(
    { request_id: "r", route: "sign-in" },
    () => now,
    async () => {
      await enter({ ...other, email: one.email });
      return {};
    },
  );
  const lines = output.mock.calls.map(([line]) => String(line));
  output.mockRestore();
  expect(lines.join("")).toContain('"email_conflict":1');
});
