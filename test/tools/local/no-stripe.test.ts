import { afterAll, expect, it } from "vitest";
import { startDemoStack } from "../../../tools/local/demo-stack.ts";
import { setUp, temporaryFolder } from "../../support/set-up.ts";

const folder = temporaryFolder();
const stack = setUp(() => startDemoStack({ port: 0, folder, stripe: false }));
afterAll(() => stack.stop());

const get = (path: string) => {
  const { api_url, tokens } = stack.local;
  return fetch(`${api_url}${path}`, { headers: { authorization: `Bearer ${tokens.admin}` } });
};

it("without a Stripe secret, routes that call Stripe return 503, and all others work", async () => {
  expect(stack.local.stand_ins).not.toContain("stripe");
  expect(stack.local).not.toHaveProperty("stripe_url");
  const members = "/odis/v1/communities/1/members";
  const listed = await get(`${members}?per=1`);
  expect(listed.status).toBe(200);
  const { data } = (await listed.json()) as { data: { id: number }[] };

  const history = await get(`${members}/${data[0]?.id}/payment_history`);
  expect(history.status).toBe(503);
  expect(await history.json()).toMatchObject({ code: "payment_processor_unavailable" });
  const webhook = await fetch(`${stack.local.api_url}/webhooks/stripe`, { method: "POST", body: "{}" });
  expect(webhook.status).toBe(503);
});
