import { describe, expect, it } from "vitest";
import { keys } from "#lib/store/keys.ts";
import { write } from "#lib/store/write.ts";
import { handler as issueRefund } from "../../../functions/members/issue-refund.ts";
import { handler as showMember } from "../../../functions/members/show.ts";
import { handler as updateMember } from "../../../functions/members/update.ts";
import { handler as webhook } from "../../../functions/webhooks/stripe.ts";
import { admin } from "../../support/api.ts";
import { aMember } from "../../support/given.ts";
import { metricsOf, personal, startLog } from "../../support/log.ts";
import { startMoney } from "../../support/money.ts";
import { posts } from "../../support/posts.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

const log = startLog();

const community = setUp(() => money.aPricedCommunity());

const headers = { "idempotency-key": personal.key };

describe("the log", () => {
  it("the log has one line per request, without data of the request body", async () => {
    const member = await money.aSubscriber(community);
    log.clear();
    const params = { community_id: community.id, id: member.id };
    const body = { amount_cents: 100, note: personal.note };
    await money.answer(issueRefund, { params, body, headers });
    await money.answer(issueRefund, { params, body: { ...body, amount_cents: 101 }, headers });
    await money.answer(issueRefund, { params, body, headers });
    const about = { level: "info", request_id: "test", caller_id: admin.id, route: keyOf(issueRefund) };
    const [refunded, refused, again] = log.lines();
    expect(log.lines()).toHaveLength(3);
    expect(refunded).toMatchObject({ ...about, status: 201, duration_ms: expect.any(Number) });
    expect(refunded?.stripe_calls).toBeGreaterThan(1);
    expect(refused).toMatchObject({ ...about, status: 422, problem: "idempotency_key_reused" });
    expect(again).toMatchObject({ ...about, status: 201, replays: 1 });
    expect(again).not.toHaveProperty("stripe_calls");
    expect(log.secrets()).toEqual([]);
  });

  it("a request without a figure of an alarm or the dashboard sends no metrics to CloudWatch", async () => {
    const member = await aMember(money.table, community);
    await money.answer(showMember, { params: { community_id: community.id, id: member.id } });
    await money.answer(showMember, { params: { community_id: community.id, id: 1 } });
    expect(log.lines()).toMatchObject([{ status: 200 }, { status: 404, problem: "not_found" }]);
    expect(log.lines().flatMap((line) => metricsOf(line))).toEqual([]);
  });

  it("each metric of a log line has a dimension and a value in that line, as CloudWatch requires", async () => {
    await money.aSubscriber(community);
    await money.answer(webhook, { body: {}, headers: { "stripe-signature": "t=1,v1=none" } });
    const lines = log.lines().filter(({ route }) => route === keyOf(webhook));
    expect(new Set(lines.flatMap((line) => metricsOf(line).flatMap(({ Dimensions }) => Dimensions.flat())))).toEqual(
      new Set(["route", "problem"]),
    );
    for (const line of lines)
      for (const { Dimensions, Metrics } of metricsOf(line)) {
        expect(Metrics).not.toEqual([]);
        for (const name of Dimensions.flat()) expect(line[name]).toEqual(expect.any(String));
        for (const { Name } of Metrics) expect(line[Name]).toEqual(expect.any(Number));
      }
  });

  it("the log line of a webhook has the age of the event", async () => {
    await money.aSubscriber(community);
    const age = log.lines().find(({ route }) => route === keyOf(webhook))?.webhook_age_ms;
    expect(age).toBeGreaterThanOrEqual(0);
  });

  it("the log line of a request has the number of its conflicts", async () => {
    const member = await aMember(money.table, community);
    const params = { community_id: community.id, id: member.id };
    await Promise.all(
      Array.from({ length: 5 }, (_, n) =>
        money.answer(updateMember, { params, body: { member: { metadata: { n } } } }),
      ),
    );
    expect(log.lines().some(({ conflicts }) => Number(conflicts) > 0)).toBe(true);
  });
});

describe("no secret is in the log", () => {
  it("the log contains no secret for any POST request that succeeds, is repeated or is refused", async () => {
    for (const { endpoint, given, otherBody } of posts(money, () => community)) {
      const call = { ...(await given()), headers };
      await money.answer(endpoint, call);
      await money.answer(endpoint, call);
      await money.answer(endpoint, { ...call, body: { ...otherBody, note: personal.note, card: personal.address } });
    }
    expect(log.secrets()).toEqual([]);
  });

  it("the log contains no address, whether an edit succeeds or is refused", async () => {
    const member = await money.aSubscriber(community);
    const params = { community_id: community.id, id: member.id };
    for (const country of ["ES", "Spain"]) {
      const body = {
        member: { shipping_address: { ...personal.address, country }, metadata: { notes: personal.note } },
      };
      await money.answer(updateMember, { params, body });
    }
    expect(log.secrets()).toEqual([]);
  });

  it("the log contains no secret after an unexpected error, whatever the error's message contains", async () => {
    const { id } = await aMember(money.table, community);
    const set = { lifetime_spend_cents: "ana@example.com, Calle Mayor 5" };
    await write(money.table, [{ update: keys.member(community.id, id), set, when: "exists" }]);
    const leaks = [
      "Invalid email: ana@example.com",
      "No such key: sk_test_4eC39HqLyjW",
      "Bad token eyJhbGciOi.eyJzdWIi.c2ln",
    ];
    await money.answer(showMember, { params: { community_id: community.id, id } });
    for (const leak of leaks)
      await money.answer(
        showMember,
        { params: { community_id: community.id, id } },
        money.platform({ identify: () => Promise.reject(new Error(leak, { cause: new Error(leak) })) }),
      );
    expect(log.lines("error")).toHaveLength(4);
    expect(log.lines("error")[0]).toMatchObject({ request_id: "test", route: keyOf(showMember), caller_id: admin.id });
    expect(log.secrets()).toEqual([]);
  });
});

const keyOf = ({ route: { method, path } }: typeof issueRefund): string => `${method} ${path}`;
