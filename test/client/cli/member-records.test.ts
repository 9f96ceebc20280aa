import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { expect, it } from "vitest";
import { Member } from "#lib/domain/member.ts";
import { MemberImport } from "#lib/domain/member-import.ts";
import { pick } from "#lib/pick.ts";
import { recordOf } from "../../../client/cli/member-records.ts";
import { sampleOf } from "../../support/samples.ts";
import { temporaryFolder } from "../../support/set-up.ts";

const folder = temporaryFolder();

const member = sampleOf(Member) as Member;

it("a record for another community has no user id, which its owner may not import", () => {
  const { id: _, ...person } = member.user;
  expect(recordOf(member).user).toEqual(member.user);
  expect(recordOf(member, true).user).toEqual(person);
});

it("a record for another community keeps the user id of a person without an email address", () => {
  const user = { ...member.user, email: "" };
  expect(recordOf({ ...member, user }, true).user).toMatchObject({ id: member.user.id });
});

/** The value of each field of the import in the record of a member who has all of them. */
const importable: Readonly<Record<string, unknown>> = {
  ...pick(member, [
    "id",
    "user",
    "status",
    "created_at",
    "current_period_start",
    "current_period_end",
    "cancel_at_period_end",
    "cancel_at",
    "trial_start",
    "trial_end",
    "canceled_at",
    "ended_at",
    "shipping_address",
    "is_blocked",
    "block_reason",
    "lifetime_spend_cents",
    "total_refunded_cents",
  ]),
  ...pick(member.metadata, ["blocked_at", "blocked_by", "refunds"]),
  tier_id: member.membership_tier.id,
  tier_name: member.membership_tier.name,
  metadata: { notes: member.metadata.notes, shirt: "M" },
};

it.each(
  Object.keys(MemberImport.entries).filter((name) => !["stripe_customer_id", "stripe_subscription_id"].includes(name)),
)("the record of a member has the field %s of the import with the member's value", (name) => {
  const record = recordOf({ ...member, metadata: { ...member.metadata, shirt: "M" } });
  expect(importable).toHaveProperty(name);
  expect(record).toHaveProperty(name, importable[name]);
});

it("the record of a member has no other fields than those of the import and the name of the tier", () => {
  const record = recordOf({ ...member, metadata: { ...member.metadata, shirt: "M" } });
  expect(record).toEqual(importable);
});

it("the command of docs/operations.md makes records with customers of exported members, which an import accepts", async () => {
  const document = await readFile("docs/operations.md", "utf8");
  const [, command = ""] = /<!-- members with customers -->\n```sh\n(.+?)```/s.exec(document) ?? [];
  const day = "2026-11-21T00:00:00.000Z";
  const exported = {
    user: { id: 7, email: "ana@example.com" },
    tier_id: 11,
    status: "active",
    created_at: day,
    current_period_start: day,
    current_period_end: day,
    lifetime_spend_cents: 2000,
    total_refunded_cents: 500,
    refunds: [
      {
        refund_id: "re_1",
        charge_id: "ch_1",
        amount_cents: 500,
        reason: "unspecified",
        status: "succeeded",
        note: null,
        issued_at: day,
        issued_by: null,
      },
    ],
  };
  const members = [
    { id: 1, ...exported },
    { id: 2, ...exported, user: { id: 8 } },
    { id: 3, ...exported },
  ];
  const customers = [
    {
      id: "cus_1",
      metadata: { member_id: "1" },
      subscriptions: {
        data: [
          { id: "sub_other", metadata: {} },
          { id: "sub_1", metadata: { member_id: "1" } },
        ],
      },
    },
    { id: "cus_2", metadata: { member_id: "2" }, subscriptions: { data: [{ id: "sub_other", metadata: {} }] } },
    { id: "cus_3", metadata: {}, subscriptions: { data: [] } },
  ];
  const jsonLines = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join("");
  await writeFile(join(folder, "members.jsonl"), jsonLines(members));
  await writeFile(join(folder, "customers.jsonl"), jsonLines(customers));
  execFileSync("sh", ["-c", command], { cwd: folder });
  const content = await readFile(join(folder, "members-with-customers.jsonl"), "utf8");
  const records = content
    .trim()
    .split("\n")
    .map((line) => v.parse(MemberImport, JSON.parse(line)));
  const email = "ana@example.com";
  expect(records).toMatchObject([
    { id: 1, user: { email }, stripe_customer_id: "cus_1", stripe_subscription_id: "sub_1", refunds: [] },
    { id: 2, user: { id: 8 }, stripe_customer_id: "cus_2", stripe_subscription_id: null, lifetime_spend_cents: 0 },
    { id: 3, user: { email }, stripe_customer_id: null, lifetime_spend_cents: 2000 },
  ]);
  expect(records.map(({ user }) => user.id)).toEqual([undefined, 8, undefined]);
});
