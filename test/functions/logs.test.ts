import { expect, it, vi } from "vitest";
import { newApiKey } from "#lib/auth/api-key.ts";
import { stats as showStats } from "#lib/contract/communities.ts";
import { list, show, update } from "#lib/contract/members.ts";
import * as users from "#lib/contract/users.ts";
import { logError } from "#lib/log.ts";
import * as apiKeys from "#lib/store/api-keys.ts";
import { keys } from "#lib/store/keys.ts";
import { begin } from "#lib/store/operations.ts";
import { write } from "#lib/store/write.ts";
import { lambdaContext } from "../../tools/local/lambda-context.ts";
import { serve } from "../../tools/local/loopback.ts";
import { addProfile } from "../../tools/local/users.ts";
import { admin, apiRoutes, pathOf, startApi } from "../support/api.ts";
import { aCommunity, aMember, anApiKey, givenBy } from "../support/given.ts";
import { metricsOf, personal, startLog } from "../support/log.ts";

const api = startApi();
const log = startLog();
/** The log lines of requests and runs of the schedule, without those of stream consumers and deliveries. */
const requests = () => log.lines("info").filter(({ route }) => route !== undefined && route !== "deliver");

const unknown = { community_id: 987654321, id: 987654321, producer_id: "6f1d9b0e-3c1a-4c55-9a44-0c3a1c2f7aff" };

it("each request of any route logs one line, without its token and body", async () => {
  const token = await api.tokenOf(admin);
  const authorizations = [`Bearer ${token}`, `Bearer ${token}x`, "Bearer sk_test_1", "Basic b2xnYTpwdw=="];
  log.clear();
  for (const route of apiRoutes)
    for (const authorization of authorizations)
      await api.send(pathOf(route, unknown), {
        method: route.method,
        headers: { authorization, "content-type": "application/json", "idempotency-key": personal.key },
        ...(route.method !== "GET" && { body: JSON.stringify({ email: personal.email, ...personal.address }) }),
      });

  expect(requests()).toHaveLength(apiRoutes.length * authorizations.length);
  expect(new Set(requests().map(({ route }) => route))).toEqual(new Set(apiRoutes.map(({ key }) => key)));
  const [, payload = "?", signature = "?"] = token.split(".");
  expect(log.secrets([payload, signature, "b2xnYTpwdw"])).toEqual([]);
});

it("no log line of any route contains an API key or its secret, and each names the key by its id", async () => {
  const community = await aCommunity(api.table);
  const { id, key } = await anApiKey(api.table, community, { role: "manager" });
  const forged = newApiKey(id, api.table.runtime).key;
  const revoked = await anApiKey(api.table, community);
  await apiKeys.remove(api.table, revoked, givenBy());
  const broken = `${key.slice(0, -1)}${key.endsWith("A") ? "B" : "A"}`;
  const sent = [key, forged, revoked.key, broken, key.slice(0, -3), key.replace("local", "prod")];
  log.clear();
  for (const route of apiRoutes)
    for (const text of sent)
      await api.send(pathOf(route, { ...unknown, community_id: community.id }), {
        method: route.method,
        headers: { authorization: `Bearer ${text}`, "content-type": "application/json" },
        ...(route.method !== "GET" && { body: JSON.stringify({ name: text }) }),
      });
  expect(requests()).toHaveLength(apiRoutes.length * sent.length);
  const secrets = sent.map((text) => text.split("_")[3] ?? "?");
  expect(log.secrets([...sent, ...secrets])).toEqual([]);

  const stats = pathOf(showStats, { community_id: community.id });
  log.clear();
  await api.send(stats, { headers: { authorization: `Bearer ${key}` } });
  const [line = {}] = requests();
  expect(line).toMatchObject({ api_key_id: id, status: 200 });
  expect(line).not.toHaveProperty("caller_id");
});

it("an API key in the message of an error is not logged", () => {
  const { key } = newApiKey(1, api.table.runtime);
  log.clear();
  logError(new Error(`The key ${key} is not valid`));
  expect(log.secrets([key, key.split("_")[3] ?? "?"])).toEqual([]);
});

it.each(["application/json", "text/csv"])(
  "the log line of a member list as %s has the caller, the community and the number of records",
  async (accept) => {
    const community = await aCommunity(api.table);
    for (let n = 0; n < 3; n++) await aMember(api.table, community);
    log.clear();
    const params = { community_id: community.id };
    const authorization = `Bearer ${await api.tokenOf(community.owner)}`;
    const response = await api.send(`${pathOf(list, params)}?per=2`, { headers: { authorization, accept } });
    expect(response.status).toBe(200);
    const [line] = requests();
    expect(line).toMatchObject({
      caller_id: community.owner.id,
      route: "GET /odis/v1/communities/{community_id}/members",
      params,
      records: 2,
      status: 200,
    });
  },
);

it("the log line of an export counts the person's profile and each membership as records", async () => {
  const { user } = await aMember(api.table, await aCommunity(api.table));
  await addProfile(api.table, user);
  log.clear();
  expect((await api.call(users.data, { params: { id: user.id }, as: admin })).status).toBe(200);
  const [line] = requests();
  expect(line).toMatchObject({ route: "GET /odis/v1/users/{id}/data", caller_id: admin.id, records: 2 });
});

it("the log line of a request for one record has the ids of the path and no number of records", async () => {
  const community = await aCommunity(api.table);
  const { id } = await aMember(api.table, community);
  const params = { community_id: community.id, id };
  const authorization = `Bearer ${await api.tokenOf(admin)}`;
  log.clear();
  await api.send(pathOf(show, params), { headers: { authorization } });
  const [line = {}] = requests();
  expect(line).toMatchObject({ caller_id: admin.id, params });
  expect(line).not.toHaveProperty("records");
});

it("the log lines of the gateway, the function and the stream's consumer all contain the request id", async () => {
  const community = await aCommunity(api.table);
  const { id } = await aMember(api.table, community);
  await api.settled(community.id);
  log.clear();
  const params = { community_id: community.id, id };
  const { headers } = await api.call(update, { as: admin, params, body: { member: { metadata: { rye: true } } } });
  const request_id = headers.get("x-request-id");
  await api.settled(community.id);
  expect(requests()).toMatchObject([
    { request_id, status: 200, route: "PATCH /odis/v1/communities/{community_id}/members/{id}" },
  ]);
  const told = log.lines("info").filter(({ message }) => message === "events were sent");
  expect(told.flatMap(({ request_ids }) => request_ids)).toEqual([request_id]);
});

it("the schedule's metrics count finished and failed tasks", async () => {
  await begin(api.table, {
    id: "op_lost",
    community_id: 1,
    member_id: 1,
    customer_id: "cus_nobody",
    actor_id: 1,
    request_id: null,
    intent: { kind: "uncancel", subscription_id: "sub_none" },
    fingerprint: null,
    state: "open",
    created_at: "2026-01-01T00:00:00.000Z",
  });
  // It opens the table when it is loaded, as on Lambda.
  const { handler } = await import("../../functions/triggers/reconcile.ts");
  expect(await handler({}, lambdaContext("reconcile", 300) as never)).toEqual({
    done: 0,
    failed: 1,
    unfinished: 1,
    set_aside: 0,
    failed_erasures: 0,
  });
  const [line = {}] = requests();
  expect(line).toMatchObject({ route: "reconcile", finished: 0, unfinished: 1 });
  expect(metricsOf(line).flatMap(({ Metrics }) => Metrics.map(({ Name }) => Name))).toContain("unfinished");
});

it("a run of the schedule does nothing while another is in progress", async () => {
  const { handler } = await import("../../functions/triggers/reconcile.ts");
  const until = Date.now() + 60_000;
  await write(api.table, [{ put: { ...keys.lease("reconcile"), until } }]);
  log.clear();
  expect(await handler({}, lambdaContext("reconcile", 300) as never)).toBeUndefined();
  await write(api.table, [{ delete: keys.lease("reconcile") }]);
  expect(requests()).toMatchObject([{ route: "reconcile" }]);
  expect(requests()[0]).not.toHaveProperty("finished");
});

it("while Stripe is not set up, the schedule ends without an error and counts this in a metric", async () => {
  vi.stubEnv("STRIPE_SECRET", "{}");
  log.clear();
  const { handler } = await import("../../functions/triggers/reconcile.ts");
  expect(await handler({}, lambdaContext("reconcile", 300) as never)).toBeUndefined();
  vi.unstubAllEnvs();
  expect(log.lines("error")).toEqual([]);
  const [line = {}] = requests();
  expect(line).toMatchObject({ route: "reconcile", stripe_not_set_up: 1 });
  expect(metricsOf(line).flatMap(({ Metrics }) => Metrics.map(({ Name }) => Name))).toContain("stripe_not_set_up");
});

it("if Stripe refuses the key, the schedule counts this in a metric, and its line has the last four characters of the key", async () => {
  const error = { type: "invalid_request_error", message: "Expired API Key provided: sk_test_********1234" };
  await using stripe = await refusingStripe({ error });
  vi.stubEnv("STRIPE_API_BASE", stripe.url);
  vi.stubEnv("STRIPE_SECRET", JSON.stringify({ secret_key: "sk_test_revoked1234", webhook_secret: "whsec_local" }));
  log.clear();
  const { handler } = await import("../../functions/triggers/reconcile.ts");
  expect(await handler({}, lambdaContext("reconcile", 300) as never)).toMatchObject({ failed: 1 });
  vi.unstubAllEnvs();
  const [line = {}] = requests();
  expect(line).toMatchObject({ route: "reconcile", stripe_key: "…1234" });
  expect(line.stripe_key_refused).toBeGreaterThan(0);
  expect(metricsOf(line).flatMap(({ Metrics }) => Metrics.map(({ Name }) => Name))).toContain("stripe_key_refused");
  expect(JSON.stringify(log.lines("error"))).not.toContain("sk_test_revoked");
});

/** Responds to each request as Stripe does to a revoked key. */
async function refusingStripe(body: object) {
  const { url, close } = await serve({ port: 0, maxBodyBytes: 10_000 }, async () => ({
    status: 401,
    headers: [["content-type", "application/json"]],
    body: JSON.stringify(body),
  }));
  return { url, [Symbol.asyncDispose]: close };
}
