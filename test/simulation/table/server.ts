import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createEngine } from "./engine.ts";
import { TableFailure } from "./failure.ts";

/** Serves the in-memory table on 127.0.0.1, for the conformance script. */
export async function serveTable(): Promise<{ readonly endpoint: string; readonly stop: () => Promise<void> }> {
  const engine = createEngine({ now: Date.now });
  let requests = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const [, operation = ""] = String(request.headers["x-amz-target"]).split(".");
    response.setHeader("content-type", "application/x-amz-json-1.0");
    response.setHeader("x-amzn-requestid", String(++requests));
    try {
      response.end(JSON.stringify(engine.run(operation, JSON.parse(body) as never)));
    } catch (error) {
      const { name, message } = error as Error;
      response.statusCode = error instanceof TableFailure ? 400 : 500;
      const more = error instanceof TableFailure ? error.more : {};
      response.end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${name}`, message, ...more }));
    }
  };
  const server = createServer((request, response) => void answer(request, response));
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
