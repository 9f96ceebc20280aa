import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export type Header = readonly [name: string, value: string];

export type HttpRequest = {
  readonly method: string;
  /** Path and query string, as they were sent. */
  readonly target: string;
  readonly protocol: string;
  /** In the order and the case that they were sent in, repeats included. */
  readonly headers: readonly Header[];
  /** Undefined where it is larger than the server takes. */
  readonly body: Buffer | undefined;
  readonly sourceIp: string;
};

export type HttpAnswer = {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: string | Buffer;
};

export type Serving = {
  readonly url: string;
  /** Takes no more requests, and waits for those under way. */
  readonly close: () => Promise<void>;
};

type Options = {
  /** 0 takes a free one. */
  readonly port: number;
  readonly maxBodyBytes: number;
  /** Of the request line and all headers. */
  readonly maxHeaderBytes?: number;
};

/**
 * Serves HTTP to this machine only.
 *
 * @throws Error where the port is taken, and inside AWS Lambda
 */
export async function serve(
  { port, maxBodyBytes, maxHeaderBytes = 16_384 }: Options,
  answer: (request: HttpRequest) => Promise<HttpAnswer>,
): Promise<Serving> {
  assertLocal();
  let isClosing = false;
  const server = createServer({ maxHeaderSize: maxHeaderBytes }, (incoming, outgoing) => {
    void respond(incoming, outgoing);
  });
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
    const request = await read(incoming, maxBodyBytes).catch(() => undefined);
    // The caller hung up.
    if (!request) return;
    const isForUs = isLoopback(headerOf(request, "host"));
    const { status, headers, body } = isForUs ? await answer(request).catch(failed) : misdirected;
    outgoing.statusCode = status;
    for (const [name, value] of headers) outgoing.appendHeader(name, value);
    // Kept alive, the connection would keep the server.
    if (isClosing) outgoing.setHeader("connection", "close");
    outgoing.end(body);
  }
}

/** @throws Error inside AWS Lambda: a stand-in is for this machine, and never for anyone's real requests */
export function assertLocal(): void {
  if (process.env.AWS_LAMBDA_FUNCTION_NAME) throw new Error("The local cloud does not run inside AWS Lambda");
}

/**
 * Whether a request is addressed to this machine by its own name. Any page may let a name of its own lead here, and would
 * then read what it asks for (DNS rebinding).
 */
export const isLoopback = (host = ""): boolean => /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i.test(host);

/** RFC 9110, section 15.5.20. */
const misdirected: HttpAnswer = {
  status: 421,
  headers: [["content-type", "application/json"]],
  body: '{"message":"Misdirected Request"}',
};

/** Origins of all pages that this machine serves, as the allow lists of CORS and of the functions have them. */
export const loopbackOrigins: readonly string[] = ["http://localhost:*", "http://127.0.0.1:*"];

/** Whether a page of another origin asks, as far as its browser says. Programs that are no browser say nothing. */
export function isForeign(request: Pick<HttpRequest, "headers">): boolean {
  const site = headerOf(request, "sec-fetch-site") ?? "same-origin";
  const origin = headerOf(request, "origin");
  return site !== "same-origin" || (origin !== undefined && origin !== `http://${headerOf(request, "host")}`);
}

/** The value of a header whatever its case; repeats are joined with commas, as HTTP reads them. */
export function headerOf({ headers }: Pick<HttpRequest, "headers">, wanted: string): string | undefined {
  const values = headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
  return values.length > 0 ? values.join(",") : undefined;
}

async function read(incoming: IncomingMessage, maxBodyBytes: number): Promise<HttpRequest> {
  const { method = "", url = "", httpVersion, rawHeaders, socket } = incoming;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    // What is too large is still read to its end, as callers look at the answer only after they have sent everything.
    if (size <= maxBodyBytes) chunks.push(chunk);
  }
  return {
    method,
    target: url,
    protocol: `HTTP/${httpVersion}`,
    headers: Array.from({ length: rawHeaders.length / 2 }, (_, n) => [
      rawHeaders[n * 2] ?? "",
      rawHeaders[n * 2 + 1] ?? "",
    ]),
    body: size <= maxBodyBytes ? Buffer.concat(chunks) : undefined,
    sourceIp: socket.remoteAddress ?? "",
  };
}

function failed(failure: unknown): HttpAnswer {
  console.error(failure);
  return { status: 500, headers: [], body: "" };
}
