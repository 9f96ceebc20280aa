import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { compared, get, hermetic, Key, type Options, outcomeOf, type Sdk, TableName } from "./aws-sdks.ts";

hermetic();

/** The response of a server to one request, no response, or a connection that breaks before or during the response. */
type Answer = readonly [status: number, body: unknown] | "silence" | "break" | "break during the answer";

/** Runs `use` with a server that returns these responses, and repeats the last one. */
async function answering<Outcome>(answers: readonly Answer[], use: () => Promise<Outcome>, onRequest = () => {}) {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)];
    asked.push(request);
    onRequest();
    if (answer === "break") response.destroy();
    if (answer === "break during the answer") {
      response.writeHead(200, { "content-length": 100 });
      response.write("{", () => response.destroy());
    }
    if (typeof answer !== "object") return;
    const [status, body] = answer;
    response.writeHead(status, { "content-type": "application/x-amz-json-1.0" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  vi.stubEnv("AWS_ENDPOINT_URL", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  try {
    return { outcome: await use(), asked };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const problem = (name: string, status = 400, more = {}): Answer => [
  status,
  { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: "Not now", ...more },
];
const item: Answer = [200, { Item: { pk: { S: "a" } } }];

describe("A bundled client", () => {
  it.each<[string, readonly Answer[], object]>([
    ["a throttle", [problem("ThrottlingException")], { error: { name: "ThrottlingException", attempts: 3 } }],
    [
      "a table at its limit",
      [problem("ProvisionedThroughputExceededException")],
      { error: { name: "ProvisionedThroughputExceededException", message: "Not now", attempts: 3 } },
    ],
    ["an account at its limit", [problem("RequestLimitExceeded")], { error: { name: "RequestLimitExceeded" } }],
    ["a throttle that passes", [problem("ThrottlingException"), item], { output: { attempts: 2 } }],
    ["a failure", [problem("InternalServerError", 500)], { error: { name: "InternalServerError", attempts: 3 } }],
    ["a failure that passes", [problem("InternalServerError", 500), item], { output: { Item: { pk: "a" } } }],
    ["a proxy's error page", [[503, "<html>"]], { error: { name: "SyntaxError", attempts: 3 } }],
    ["an answer that is not JSON", [[200, "<html>"]], { error: { name: "SyntaxError", attempts: 1 } }],
    ["another transaction", [problem("TransactionConflictException")], { error: { attempts: 1 } }],
    [
      "a refusal",
      [problem("AccessDeniedException")],
      { error: { name: "AccessDeniedException", message: "Not now", attempts: 1, httpStatusCode: 400 } },
    ],
    ["a table's error", [problem("LimitExceededException")], { error: { name: "LimitExceededException" } }],
    [
      "an error that it does not know",
      [problem("NewException")],
      { error: { name: "NewException", message: "Not now" } },
    ],
    ["a connection that breaks", ["break", item], { output: { attempts: 2 } }],
    ["a connection that breaks during the answer", ["break during the answer", item], { output: { attempts: 2 } }],
    ["silence", ["silence"], { error: { name: "TimeoutError", attempts: 3 } }],
  ])("a bundled client handles %s like the SDK", async (_, answers, expected) => {
    const requestHandler = { requestTimeout: 100, throwOnRequestTimeout: true };
    const found = await compared(async (sdk) => {
      const { asked, outcome } = await answering(answers, () => get(sdk, { requestHandler }));
      return { ...outcome, asked: asked.map(({ headers }) => headers["amz-sdk-request"]) };
    });
    expect(found).toMatchObject(expected);
  });

  it("a bundled client retries and fails like the SDK if the connection is refused", async () => {
    await answering([], async () => {});
    expect(await compared((sdk) => get(sdk))).toMatchObject({ error: { code: "ECONNREFUSED", attempts: 3 } });
  });

  it.each<[string, (sdk: Sdk, options: Options) => Promise<object>, number]>([
    ["DynamoDB", (sdk, options) => get(sdk, options), 12 + 25],
    [
      "EventBridge",
      (sdk, options) =>
        outcomeOf(sdk.eventBridgeClient(options).send(new sdk.eventBridge.PutEventsCommand({ Entries: [] }))),
      25 + 50,
    ],
    [
      "Secrets Manager",
      (sdk, options) =>
        outcomeOf(
          sdk.secretsManagerClient(options).send(new sdk.secretsManager.GetSecretValueCommand({ SecretId: "a" })),
        ),
      25 + 50,
    ],
  ])("a bundled client calls %s three times by default, with the delays of the SDK", async (_, ask, ms) => {
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    const found = await compared(async (sdk) => {
      const { asked, outcome } = await answering([problem("Failure", 500)], () => ask(sdk, {}));
      return { ...outcome, asked: asked.length };
    });
    expect(found).toMatchObject({ asked: 3, error: { attempts: 3, totalRetryDelay: ms } });
  });

  it("a bundled client stops retrying when failures have used up its budget, like the SDK", async () => {
    const attempts = await compared(async (sdk) => {
      const client = sdk.documentClient({ maxAttempts: 3 });
      const ask = () => outcomeOf(client.send(new sdk.documents.GetCommand({ TableName, Key })));
      const { outcome } = await answering([problem("InternalServerError", 500)], async () => {
        const tried: unknown[] = [];
        while (tried.length < 30) tried.push(await ask());
        return tried;
      });
      return outcome.map((one) => (one as { error: { attempts: number } }).error.attempts);
    });
    expect(attempts[0]).toBe(3);
    expect(attempts.at(-1)).toBe(1);
  });

  it.each([
    ["aborted before the request", () => ({ signal: AbortSignal.abort(), during: () => {} })],
    [
      "aborted while it waits",
      () => {
        const controller = new AbortController();
        return { signal: controller.signal, during: () => controller.abort() };
      },
    ],
    ["at its deadline", () => ({ signal: AbortSignal.timeout(20), during: () => {} })],
  ])("a bundled client fails like the SDK when it is %s", async (_, make) => {
    const found = await compared(async (sdk) => {
      const { signal, during } = make();
      return (await answering(["silence"], () => get(sdk, {}, { abortSignal: signal }), during)).outcome;
    });
    expect(found).toMatchObject({ error: { name: "AbortError" } });
  });

  const reasons = { CancellationReasons: [{ Code: "None" }, { Code: "TransactionConflict", Message: "Not now" }] };

  it.each<[string, (sdk: Sdk) => abstract new (...args: never) => Error, object]>([
    ["ConditionalCheckFailedException", ({ dynamodb }) => dynamodb.ConditionalCheckFailedException, {}],
    ["TransactionCanceledException", ({ dynamodb }) => dynamodb.TransactionCanceledException, reasons],
    ["ThrottlingException", ({ dynamodb }) => dynamodb.ThrottlingException, {}],
    ["ProvisionedThroughputExceededException", ({ dynamodb }) => dynamodb.ProvisionedThroughputExceededException, {}],
    ["ResourceNotFoundException", ({ dynamodb }) => dynamodb.ResourceNotFoundException, {}],
  ])("a bundled client throws %s as DynamoDB's own class", async (name, classOf, more) => {
    const found = await compared(async (sdk) => {
      const send = () => sdk.documentClient().send(new sdk.documents.GetCommand({ TableName, Key }));
      const { outcome } = await answering([problem(name, 400, more)], () => thrownBy(send()));
      return { error: outcome, isOwn: outcome instanceof classOf(sdk) };
    });
    expect(found).toMatchObject({ isOwn: true, error: { name, message: "Not now", $fault: "client", ...more } });
  });

  it("a bundled client throws the class of the right service if two services have a class with the same name", async () => {
    const found = await compared(async (sdk) => {
      const ask = () =>
        sdk.secretsManagerClient().send(new sdk.secretsManager.GetSecretValueCommand({ SecretId: "a" }));
      const answer: Answer = [400, { __type: "ResourceNotFoundException", Message: "No secret" }];
      const { outcome } = await answering([answer], () => thrownBy(ask()));
      return [sdk.secretsManager, sdk.dynamodb].map((one) => outcome instanceof one.ResourceNotFoundException);
    });
    expect(found).toEqual([true, false]);
  });

  it("a bundled client throws InternalException as EventBridge's own class", async () => {
    const found = await compared(async (sdk) => {
      const put = () => sdk.eventBridgeClient().send(new sdk.eventBridge.PutEventsCommand({ Entries: [] }));
      const { outcome } = await answering([[500, { __type: "InternalException" }]], () => thrownBy(put()));
      return outcome instanceof sdk.eventBridge.InternalException;
    });
    expect(found).toBe(true);
  });
});

const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(() => undefined).catch((error: unknown) => error);
