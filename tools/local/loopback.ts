import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

export type Header = readonly [name: string, value: string];

export type HttpRequest = {
  readonly method: string;
  /** Path and query string as they were sent. */
  readonly target: string;
  readonly protocol: string;
  /** In the original order and case, including repeats. */
  readonly headers: readonly Header[];
  /** Undefined if the body is larger than the limit. */
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
  /** Stops accepting requests and waits for those in progress. */
  readonly close: () => Promise<void>;
};

type ServerOptions = {
  /** 0 selects a free port. */
  readonly port: number;
  readonly maxBodyBytes: number;
  /** Maximum size of the request line and all headers. */
  readonly maxHeaderBytes?: number;
};

/**
 * Serves HTTP on the loopback address.
 *
 * @throws Error if the port is taken, and inside AWS Lambda
 */
export async function serve(
  { port, maxBodyBytes, maxHeaderBytes = 16_384 }: ServerOptions,
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
    // The client disconnected.
    if (!request) return;
    const isForUs = isLoopback(headerOf(request, "host"));
    const { status, headers, body } = isForUs ? await answer(request).catch(failed) : misdirected;
    outgoing.statusCode = status;
    for (const [name, value] of headers) outgoing.appendHeader(name, value);
    // Node adds the length only to responses that have a body.
    if (request.method === "HEAD" && status !== 304) outgoing.setHeader("content-length", Buffer.byteLength(body));
    // A connection that is kept alive would prevent the server from closing.
    if (isClosing) outgoing.setHeader("connection", "close");
    outgoing.end(body);
  }
}

/** @throws Error inside AWS Lambda, because stand-ins must never serve real requests */
export function assertLocal(): void {
  if (process.env.AWS_LAMBDA_FUNCTION_NAME) throw new Error("The local cloud does not run inside AWS Lambda");
}

/**
 * Whether a request names this machine in its Host header. Another name may be that of a web page that resolves it to
 * this machine to read responses (DNS rebinding).
 */
export const isLoopback = (host = ""): boolean => /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i.test(host);

/** Response to a request for another host (RFC 9110, section 15.5.20). */
const misdirected: HttpAnswer = {
  status: 421,
  headers: [["content-type", "application/json"]],
  body: '{"message":"Misdirected Request"}',
};

/** Origins of all pages of this machine, in the form of the allow lists of CORS and of the functions. */
export const loopbackOrigins: readonly string[] = ["http://localhost:*", "http://127.0.0.1:*"];

/** Whether a browser sent the request for a page of another origin. Other programs do not send these headers. */
export function isForeign(request: Pick<HttpRequest, "headers">): boolean {
  const site = headerOf(request, "sec-fetch-site") ?? "same-origin";
  const origin = headerOf(request, "origin");
  return site !== "same-origin" || (origin !== undefined && origin !== `http://${headerOf(request, "host")}`);
}

/** The value of a header, without regard to case. Repeated headers are joined with commas, as HTTP specifies. */
export function headerOf({ headers }: Pick<HttpRequest, "headers">, lowerCaseName: string): string | undefined {
  const values = headers.filter(([name]) => name.toLowerCase() === lowerCaseName).map(([, value]) => value);
  return values.length > 0 ? values.join(",") : undefined;
}

async function read(incoming: IncomingMessage, maxBodyBytes: number): Promise<HttpRequest> {
  const { method = "", url = "", httpVersion, rawHeaders, socket } = incoming;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Reads the rest of a body that is too large, because clients read the response only after they have sent the body.
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
