import { randomUUID } from "node:crypto";
import { CloudWatchLogsClient, FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import { describe, expect, it } from "vitest";
import * as brands from "#lib/contract/brands.ts";
import { editor, startApi } from "../support/api.ts";
import { eventually } from "../support/eventually.ts";
import { changePolicy, deployedFunctions } from "./deploy.ts";

const api = startApi();

const producer = { params: { producer_id: randomUUID() }, as: editor };
const create = () => api.call(brands.create, { ...producer, body: { brand: { name: "Smoke" } } });
const list = () => api.call(brands.list, producer);

/** Removes an action from a policy. */
const without = (action: string) => (policy: string) => {
  const { Statement, ...rest } = JSON.parse(policy) as { Statement: { Action: string | string[] }[] };
  const statements = Statement.map((one) => ({
    ...one,
    Action: [one.Action].flat().filter((name) => name !== action),
  }));
  return JSON.stringify({ ...rest, Statement: statements.filter(({ Action }) => Action.length > 0) });
};

describe("a function whose role lacks one action of its route's grant", () => {
  it.each([
    ["BrandsCreate", "dynamodb:PutItem", create, 201],
    ["BrandsList", "dynamodb:Query", list, 200],
  ] as const)(
    "a function whose role lacks an action fails, and logs the reason: %s without %s",
    async (id, action, call, status) => {
      const { Role = "", LoggingConfig } = (await deployedFunctions()).get(id) ?? {};
      expect((await call()).status).toBe(status);

      const since = Date.now();
      const restore = await changePolicy(Role, without(action));
      const [refusal] = await Promise.allSettled([call()]);
      await restore();
      expect(refusal).toMatchObject({ value: { status: 500, body: { code: "internal" } } });
      expect((await call()).status).toBe(status);

      const logs = new CloudWatchLogsClient();
      await eventually(async () => {
        const { events = [] } = await logs.send(
          new FilterLogEventsCommand({ logGroupName: LoggingConfig?.LogGroup, startTime: since }),
        );
        expect(events.map(({ message }) => message).join("\n")).toContain(`is not authorized to perform: ${action}`);
      });
    },
  );
});
