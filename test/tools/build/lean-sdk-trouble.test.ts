import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { cut, get, hermetic, whole } from "./sdk-builds.ts";

hermetic();

/** What a server says to one request: an answer, nothing at all, or a connection that breaks. */
type Answer = readonly [status: number, body: unknown] | "silence" | "break";

/** Gives `use` the address of a server that answers so, the last answer again and again; returns what was asked. */
async function answering(
  answers: readonly Answer[],
  use: (endpoint: string) => Promise<unknown>,
  onRequest = () => {},
): Promise<IncomingMessage[]> {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    const answer = answers[Math.min(asked.length, answers.length - 1)];
    asked.push(request);
    onRequest();
    if (answer === "break") response.destroy();
    if (typeof answer !== "object") return;
    const [status, body] = answer;
    response.writeHead(status, { "content-type": "application/x-amz-json-1.0" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
  return asked;
}

describe("the lean SDK in trouble", () => {
  const problem = (name: string, status = 400): Answer => [
    status,
    { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: "Not now" },
  ];
  const found: Answer = [200, { Item: { pk: { S: "a" } } }];

  it.each<[string, readonly Answer[], object]>([
    ["a throttle", [problem("ThrottlingException")], { error: { name: "ThrottlingException", attempts: 3 } }],
    [
      "a table at its limit",
      [problem("ProvisionedThroughputExceededException")],
      { error: { name: "ProvisionedThroughputExceededException", message: "Not now", attempts: 3 } },
    ],
    ["an account at its limit", [problem("RequestLimitExceeded")], { error: { name: "RequestLimitExceeded" } }],
    ["a throttle that passes", [problem("ThrottlingException"), found], { output: { attempts: 2 } }],
    ["a failure", [problem("InternalServerError", 500)], { error: { name: "InternalServerError", attempts: 3 } }],
    ["a failure that passes", [problem("InternalServerError", 500), found], { output: { Item: { pk: "a" } } }],
    ["a proxy's error page", [[503, "<html>"]], { error: { name: "SyntaxError", attempts: 3 } }],
    ["an answer that is not JSON", [[200, "<html>"]], { error: { name: "SyntaxError", attempts: 1 } }],
    ["another transaction", [problem("TransactionConflictException")], { error: { attempts: 1 } }],
    [
      "a refusal",
      [problem("AccessDeniedException")],
      { error: { name: "AccessDeniedException", message: "Not now", attempts: 1, httpStatusCode: 400 } },
    ],
    ["a table's error", [problem("LimitExceededException")], { error: { name: "LimitExceededException" } }],
    ["an error yet unknown", [problem("NewException")], { error: { name: "NewException", message: "Not now" } }],
    ["a connection that breaks", ["break", found], { output: { attempts: 2 } }],
    ["silence", ["silence"], { error: { name: "TimeoutError", attempts: 3 } }],
  ])("tries and fails as the whole does with %s", async (_, answers, expected) => {
    const requestHandler = { requestTimeout: 100, throwOnRequestTimeout: true };
    const [ours, theirs] = await Promise.all(
      [cut, whole].map(async (sdk) => {
        let outcome = {};
        const asked = await answering(answers, async (endpoint) => {
          outcome = await get(sdk, { endpoint, requestHandler });
        });
        return { ...outcome, asked: asked.map(({ headers }) => headers["amz-sdk-request"]) };
      }),
    );
    expect(ours).toEqual(theirs);
    expect(ours).toMatchObject(expected);
  });

  it("tries and fails as the whole does where nobody listens", async () => {
    let closed = "";
    await answering([], async (endpoint) => {
      closed = endpoint;
    });
    const ours = await get(cut, { endpoint: closed });
    expect(ours).toEqual(await get(whole, { endpoint: closed }));
    expect(ours).toMatchObject({ error: { code: "ECONNREFUSED", attempts: 3 } });
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
  ])("ends as the whole does when it is %s", async (_, make) => {
    const outcomes: object[] = [];
    for (const sdk of [cut, whole]) {
      const { signal, during } = make();
      const use = async (endpoint: string) => {
        outcomes.push(await get(sdk, { endpoint }, { abortSignal: signal }));
      };
      await answering(["silence"], use, during);
    }
    expect(outcomes[0]).toEqual(outcomes[1]);
    expect(outcomes[0]).toMatchObject({ error: { name: "AbortError" } });
  });
});
