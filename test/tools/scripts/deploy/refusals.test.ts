import { expect, it } from "vitest";
import { settingsFor } from "../../../../infra/settings.ts";
import { refusalsOf, tableRefusalsOf } from "../../../../tools/scripts/deploy/refusals.ts";
import { prodFile } from "../../../infra/synthesized.ts";

const file = { allowOrigins: ["https://app.example.com"] };
const account = { region: "eu-central-1", isBootstrapped: true, concurrentExecutions: 1000 };
const quota = (has: number, needs: number) =>
  `Lambda allows ${has} concurrent executions in eu-central-1, but sandbox needs ${needs}: raise the quota "Concurrent executions" of Lambda in Service Quotas, or lower throttle in stages/sandbox.json.`;

it.each([
  ["all is well", {}, {}, []],
  ["no origin is allowed, as without a file", { allowOrigins: [] }, {}, []],
  [
    "the CDK is not set up",
    {},
    { isBootstrapped: false },
    ["The CDK has not been set up in eu-central-1: run npx cdk bootstrap."],
  ],
  ["the account is new", {}, { concurrentExecutions: 10 }, [quota(10, 50)]],
  ["as many run at once as requests come in a second", {}, { concurrentExecutions: 50 }, []],
  [
    "the file lets fewer requests in",
    { throttle: { rateLimit: 10, burstLimit: 10 } },
    { concurrentExecutions: 10 },
    [],
  ],
  [
    "executions are reserved, and AWS keeps 100 for the rest",
    { reservedConcurrency: { webhook: 70, signIn: 5, schedules: 1 } },
    { concurrentExecutions: 177 },
    [quota(177, 178)],
  ],
  ["as many are left", { reservedConcurrency: { schedules: 1 } }, { concurrentExecutions: 103 }, []],
  [
    "executions are reserved for the canary too",
    { reservedConcurrency: { schedules: 1 }, alarmsTo: ["operators@example.com"] },
    { concurrentExecutions: 103 },
    [quota(103, 104)],
  ],
])("a sandbox is deployed or refused with one sentence per reason if %s", (_, change, found, refusals) => {
  const settings = settingsFor("sandbox", { ...file, ...change });
  expect(refusalsOf(settings, { ...account, ...found })).toEqual(refusals);
});

it("prod is refused if no origin is allowed", () => {
  const settings = settingsFor("prod", { ...prodFile, allowOrigins: [] });
  expect(refusalsOf(settings, account)).toEqual([
    "stages/prod.json: allowOrigins is missing: checkout would refuse every redirect URL.",
  ]);
});

const restored = {
  table: {
    name: "odis-restored",
    streamArn: "arn:aws:dynamodb:eu-central-1:123456789012:table/odis-restored/stream/2026-11-22T12:00:00.000",
  },
  epoch: 1,
};
const running = (outputs: Readonly<Record<string, string>>) => ({ status: "UPDATE_COMPLETE", outputs });
const own = running({ TableName: "odis-sandbox-Table710B521B-1X", UsedTable: "own", Epoch: "0" });
const onRestored = running({ TableName: "odis-restored", UsedTable: "odis-restored", Epoch: "1" });
const changes = (from: string, to: string) =>
  `The stack uses the table ${from}, but stages/sandbox.json names ${to}: correct the file, or add --table ${to} if the stack is to change its table.`;

it.each([
  ["nothing runs yet", restored, undefined, undefined, []],
  ["the table stays", restored, onRestored, undefined, []],
  ["the table changes unsaid", restored, own, undefined, [changes("own", "odis-restored")]],
  ["the table changes as the operator says", restored, own, "odis-restored", []],
  [
    "the operator names another table than the file",
    restored,
    own,
    "another",
    ["--table names another, but stages/sandbox.json names odis-restored: set the same table in both."],
  ],
  [
    "a rollback brings an old file back",
    {},
    onRestored,
    undefined,
    [changes("odis-restored", "own"), "stages/sandbox.json: epoch is 0, but the stack already has 1."],
  ],
  [
    "the table changes in the same epoch",
    { epoch: 1 },
    onRestored,
    "own",
    ["stages/sandbox.json: epoch must be higher than 1, because the stack changes its table."],
  ],
  ["the table returns to that of the stack in a new epoch", { epoch: 2 }, onRestored, "own", []],
  [
    "an earlier version put the stack on a restored table",
    {},
    running({ TableName: "odis-restored" }),
    undefined,
    [
      changes("odis-restored", "own"),
      "stages/sandbox.json: epoch must be higher than 0, because the stack changes its table.",
    ],
  ],
  [
    "an earlier version put the stack on a restored table, which its file names now",
    restored,
    running({ TableName: "odis-restored" }),
    undefined,
    [],
  ],
  [
    "an earlier version used the stack's own table",
    {},
    running({ TableName: "odis-sandbox-Table710B521B-1X" }),
    undefined,
    [],
  ],
])(
  "a stack keeps its table and epoch unless the operator confirms a change: %s",
  (_, change, stack, named, refusals) => {
    expect(tableRefusalsOf(settingsFor("sandbox", { ...file, ...change }), stack, named)).toEqual(refusals);
  },
);
