import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { headerOf, type Serving, serve } from "../../../tools/local/loopback.ts";
import { runSavedQuery } from "../../../tools/scripts/saved-query.ts";

const definitions = [
  { name: "odis-prod/Errors", queryString: "fields @timestamp", logGroupNames: ["routes", "triggers"] },
  { name: "odis-prod/Slow routes", queryString: "stats count(*) by route", logGroupNames: ["routes"] },
];
const row = [
  { field: "route", value: "POST /webhooks/stripe" },
  { field: "status", value: "500" },
  { field: "@ptr", value: "CmEK" },
];

/** CloudWatch Logs, with responses in the form of AWS's API reference. */
let served: Serving;
let started: unknown;
let states: string[];
beforeAll(async () => {
  served = await serve({ port: 0, maxBodyBytes: 10_000 }, async (request) => {
    const operation = headerOf(request, "x-amz-target")?.split(".").at(-1) ?? "";
    if (operation === "StartQuery") started = JSON.parse(String(request.body));
    const bodies: Readonly<Record<string, () => object>> = {
      DescribeQueryDefinitions: () => ({ queryDefinitions: definitions }),
      StartQuery: () => ({ queryId: "12ab3456" }),
      GetQueryResults: () => ({ status: states.shift(), results: [row] }),
    };
    const body = JSON.stringify(bodies[operation]?.());
    return { status: 200, headers: [["content-type", "application/x-amz-json-1.1"]], body };
  });
  vi.stubEnv("AWS_ENDPOINT_URL_CLOUDWATCH_LOGS", served.url);
});
afterAll(() => served.close());
afterEach(() => {
  started = undefined;
});

const [start, end] = [new Date("2026-11-21T05:00:00Z"), new Date("2026-11-21T06:00:00Z")];
const ask = (change: object = {}) =>
  runSavedQuery(
    { stage: "prod", name: "errors", functionName: undefined, query: undefined, start, end, ...change },
    async () => {},
  );

it("a saved query runs over its log groups, and its rows are returned once it is complete", async () => {
  states = ["Scheduled", "Running", "Complete"];
  expect(await ask()).toEqual([{ route: "POST /webhooks/stripe", status: "500" }]);
  expect(started).toEqual({
    queryString: "fields @timestamp",
    logGroupNames: ["routes", "triggers"],
    startTime: start.getTime() / 1000,
    endTime: end.getTime() / 1000,
  });
});

it("a saved query can be restricted to a function, and another text can run over its log groups", async () => {
  states = ["Complete"];
  await ask({ name: "Slow routes", functionName: "TriggersEvents", query: "stats count(*) by caller_id" });
  expect(started).toMatchObject({
    queryString: "filter @logStream like /TriggersEvents/\n| stats count(*) by caller_id",
    logGroupNames: ["routes"],
  });
});

it("an unknown query is refused with the names of the saved ones, and a failed query is an error", async () => {
  await expect(ask({ name: "nothing" })).rejects.toThrow(
    "There is no saved query nothing of prod. There are: Errors, Slow routes",
  );
  states = ["Failed"];
  await expect(ask()).rejects.toThrow("The query ended with Failed");
});
