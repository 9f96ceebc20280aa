import { type IncomingMessage, request as requestHttp } from "node:http";
import { type RequestOptions, request as requestHttps } from "node:https";
import type { AttemptError, Outcome } from "../fields/delivery.ts";
import type { Runtime } from "../runtime.ts";
import { AddressRefused, assertHost, checkedLookup, type MayConnect } from "./address.ts";

/** Maximum time limit for the response of a receiver, in milliseconds. */
export const longestTimeoutMs = 15_000;
/** Maximum size of a response that is read, in bytes. */
const readLimit = 1024;

export type Message = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Time limit for the response, in milliseconds. */
  readonly timeoutMs: number;
};

type World = Pick<Runtime, "now" | "deadline"> & { readonly mayConnect: MayConnect };

/**
 * Posts a message to a receiver. Succeeds if the receiver responds with 2xx in time. Does not follow redirects, and reads at
 * most 1 KB of the body. Opens a connection per message, because idle connections break while Lambda freezes the function.
 */
export async function post(message: Message, { now, deadline, mayConnect }: World): Promise<Outcome> {
  const startedAt = now().getTime();
  const { status_code, error } = await send(message, { signal: deadline(message.timeoutMs), mayConnect });
  return { status_code, duration_ms: now().getTime() - startedAt, error };
}

type Answer = Pick<Outcome, "status_code" | "error">;

function send(
  { url, headers, body }: Message,
  { signal, mayConnect }: { readonly signal: AbortSignal; readonly mayConnect: MayConnect },
): Promise<Answer> {
  const { protocol, hostname } = new URL(url);
  const options: RequestOptions = {
    method: "POST",
    headers: { ...headers, "content-length": Buffer.byteLength(body) },
    agent: false,
    lookup: checkedLookup(mayConnect),
    signal,
  };
  return new Promise<Answer>((done) => {
    const fail = (cause: unknown) => done({ status_code: null, error: errorOf(cause, signal) });
    const settle = ({ statusCode = 0 }: IncomingMessage) =>
      done({ status_code: statusCode, error: errorOfStatus(statusCode) });
    // Not every way in which a request ends emits an error.
    signal.addEventListener("abort", fail, { once: true });
    try {
      assertHost(hostname, mayConnect);
      const request = (protocol === "http:" ? requestHttp : requestHttps)(url, options, (response) => {
        settle(response);
        let read = 0;
        response.on("data", (chunk: Buffer) => {
          read += chunk.length;
          if (read > readLimit) request.destroy();
        });
        response.on("error", () => request.destroy());
      });
      // Without this listener, a switch of protocols ends the request without a response.
      request.on("upgrade", (response, socket) => {
        settle(response);
        socket.destroy();
      });
      request.on("error", fail);
      request.on("close", () => fail(new Error("The connection was closed without a response")));
      request.end(body);
    } catch (error) {
      fail(error);
    }
  });
}

function errorOfStatus(status: number): AttemptError | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? "redirect" : "status";
}

function errorOf(cause: unknown, signal: AbortSignal): AttemptError {
  if (cause instanceof AddressRefused) return "address_refused";
  if (signal.aborted) return "timeout";
  const { code = "" } = cause as { readonly code?: string };
  return /CERT|TLS|SSL|SIGNATURE|ALTNAME|EPROTO/.test(code) ? "tls" : "connection";
}
