import { Agent, request } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { list } from "#lib/contract/members.ts";
import * as brands from "#lib/store/brands.ts";
import { subOf } from "../../tools/local/users.ts";
import { Chance } from "../simulation/chance.ts";
import { type As, admin, apiRoutes, editor, startApi } from "../support/api.ts";
import { aBenefit, aCommunity, aMember, givenBy } from "../support/given.ts";
import { type HostileRequest, hostileRequest, type Material } from "./hostile.ts";

// Disables the log line of each request, which vitest would keep in memory until the test ends.
process.env.LOG_LEVEL = "error";
const api = startApi();
const agent = new Agent({ keepAlive: true, maxSockets: 16 });
afterAll(() => agent.destroy());

const seed = process.env.FUZZ_SEED ?? "1";
const count = Number(process.env.FUZZ_REQUESTS ?? 20_000);

/** Claims that Cognito does not issue. */
const oddClaims = [
  { user_id: -1 },
  { user_id: "1; DROP" },
  { user_id: { $gt: 0 } },
  { "cognito:groups": "admin" },
  { "cognito:groups": [null, { admin: true }, ["admin"]] },
  { username: 7 },
  { auth_time: "now" },
  { auth_time: -1 },
];

let material: Material;
beforeAll(async () => {
  const producers = ["0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0020", "0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0021"];
  const given = await Promise.all([1, 2, 3].map(() => aCommunity(api.table)));
  const members = await Promise.all(given.flatMap((one) => [1, 2, 3].map(() => aMember(api.table, one))));
  const benefits = await Promise.all(given.map((one) => aBenefit(api.table, one)));
  const made = await Promise.all(
    producers.map((id) => brands.add(api.table, { name: "Smoke", producer_ids: [id] }, givenBy())),
  );
  const people: readonly As[] = [
    admin,
    editor,
    { id: 77 },
    ...given.map(({ owner }) => owner),
    ...members.map(({ user }) => user),
  ];
  const tokens = await Promise.all([
    ...people.map(({ id, groups = [] }) => api.tokenOf({ id, groups })),
    ...oddClaims.map((claims, n) =>
      api.stack.cognito.sign({
        sub: subOf(900 + n),
        username: "odd",
        claims: { user_id: 900 + n, ...claims },
        expiresIn: 3600,
      }),
    ),
  ]);
  const pages = await Promise.all(
    given.map(({ id, owner }) => api.call(list, { as: owner, params: { community_id: id }, query: { per: 1 } })),
  );
  const idsOf = (records: readonly { readonly id: string | number }[]) => records.map(({ id }) => id);
  material = {
    routes: apiRoutes,
    admin: `Bearer ${await api.tokenOf(admin)}`,
    authorizations: tokens.map((token) => `Bearer ${token}`),
    cursors: pages.map(({ body }) => body.next_cursor ?? ""),
    etags: ['"abc"', 'W/"abc"', "*", '"a", "b"'],
    ids: {
      community_id: idsOf(given),
      producer_id: producers,
      communities: idsOf(given),
      members: idsOf(members),
      benefits: idsOf(benefits),
      tiers: idsOf(given.map(({ tier }) => tier)),
      brands: idsOf(made),
      users: idsOf(members.map(({ user }) => user)),
    },
  };
});

function send({ body, ...options }: HostileRequest): Promise<{ status: number; type: string; text: string }> {
  return new Promise((resolve, reject) => {
    // Node sends the body of a DELETE request only if it has a Content-Length header.
    const headers = { ...options.headers, "content-length": String(Buffer.byteLength(body ?? "")) };
    const outgoing = request(api.stack.url, { ...options, headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        const { statusCode: status = 0, headers: answered } = response;
        resolve({ status, type: answered["content-type"] ?? "", text: Buffer.concat(chunks).toString() });
      });
    });
    outgoing.on("error", reject).end(body);
  });
}

/** Whether a response is correct: not 5xx, and a problem document for errors. */
function isRight({ status, type, text }: Awaited<ReturnType<typeof send>>): boolean {
  if (status < 400) return true;
  return (
    status < 500 && type === "application/problem+json" && (JSON.parse(text) as { status: number }).status === status
  );
}

it(`${count} hostile requests to all routes get no 5xx, and each error is problem+json`, async () => {
  const wrong: unknown[] = [];
  const statuses = new Map<number, number>();
  const reached = new Set<string>();
  let next = 0;
  const work = async () => {
    for (let n = next++; n < count; n = next++) {
      const hostile = hostileRequest(new Chance(`${seed}/${n}`), material);
      reached.add(hostile.method + hostile.path.split("?")[0]);
      const answer = await send(hostile).catch((error: unknown) => ({ status: 0, type: String(error), text: "" }));
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (answer.status === 0 || !isRight(answer)) wrong.push({ n, ...hostile, answer });
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
  console.log(`seed ${seed}:`, Object.fromEntries(statuses));
  expect(wrong.slice(0, 5), `FUZZ_SEED=${seed}, ${wrong.length} of ${count} requests`).toEqual([]);
  // Most requests are refused, but some must pass the checks of the token.
  for (const status of [200, 401, 403, 404, 422]) expect(statuses.get(status)).toBeGreaterThan(count / 1_000);
  expect(reached.size).toBeGreaterThan(apiRoutes.length);
});
