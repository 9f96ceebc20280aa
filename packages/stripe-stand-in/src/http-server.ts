import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import type { StripeRequest, StripeResponse } from "./core/http.ts";

const maxBodyBytes = 1024 * 1024;

type Answer = (request: StripeRequest) => Promise<StripeResponse>;

export type HttpServer = {
  readonly url: string;
  /** Accepts no more requests, and waits for those in progress. */
  readonly close: () => Promise<void>;
};

/**
 * Serves HTTP on 127.0.0.1.
 *
 * @param port 0 picks a free one
 * @throws Error with the code EADDRINUSE if the port is taken
 */
export async function serve(port: number, answer: Answer): Promise<HttpServer> {
  let isClosing = false;
  const server = createServer((incoming, outgoing) => void respond(incoming, outgoing));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise((resolve, reject) => {
        isClosing = true;
        server.close((error) => (error ? reject(error) : resolve()));
      }),
  };

  async function respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await buffer(incoming).catch(() => undefined);
    // The caller has disconnected.
    if (!body) return;
    const { status, headers, body: text } = await responseTo(incoming, body, answer);
    outgoing.writeHead(status, {
      ...headers,
      // Closes keep-alive connections, which would keep the server open.
      ...(isClosing && { connection: "close" }),
    });
    outgoing.end(text);
  }
}

/** Prevents DNS rebinding: a web page could resolve its host name to this machine and read the responses. */
const isLoopback = (host = ""): boolean => /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i.test(host);

async function responseTo(incoming: IncomingMessage, body: Buffer, answer: Answer): Promise<StripeResponse> {
  if (!isLoopback(incoming.headers.host)) return { status: 421, headers: {}, body: "" };
  if (body.length > maxBodyBytes) return { status: 413, headers: {}, body: "" };
  const { method = "", url: path = "" } = incoming;
  const headers = Object.fromEntries(
    Object.entries(incoming.headersDistinct).map(([name, values = []]) => [name, values.join(",")]),
  );
  try {
    return await answer({ method, path, headers, body: body.toString() });
  } catch (failure) {
    console.error(failure);
    return { status: 500, headers: {}, body: "" };
  }
}
