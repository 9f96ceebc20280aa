import { expect, it } from "vitest";
import { admin, apiRoutes, pathOf, startApi } from "../support/api.ts";
import { personal, startLog } from "../support/log.ts";

const api = startApi();
const log = startLog();

const params = { community_id: 987654321, id: 987654321, producer_id: "6f1d9b0e-3c1a-4c55-9a44-0c3a1c2f7aff" };

it("logs one line a request of any route, and nothing of its token or its body", async () => {
  const token = await api.tokenOf(admin);
  const authorizations = [`Bearer ${token}`, `Bearer ${token}x`, "Bearer sk_test_1", "Basic b2xnYTpwdw=="];
  log.clear();
  for (const route of apiRoutes)
    for (const authorization of authorizations)
      await api.send(pathOf(route, params), {
        method: route.method,
        headers: { authorization, "content-type": "application/json", "idempotency-key": personal.key },
        ...(route.method !== "GET" && { body: JSON.stringify({ email: personal.email, ...personal.address }) }),
      });

  expect(log.lines("info")).toHaveLength(apiRoutes.length * authorizations.length);
  expect(new Set(log.lines("info").map(({ route }) => route))).toEqual(new Set(apiRoutes.map(({ key }) => key)));
  const [, payload = "?", signature = "?"] = token.split(".");
  expect(log.secrets([payload, signature, "b2xnYTpwdw"])).toEqual([]);
});
