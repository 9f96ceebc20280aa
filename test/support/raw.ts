import { type IncomingHttpHeaders, request } from "node:http";
import { type As, type Problem, readAnswer, type startApi } from "./api.ts";

export type RawRequest = {
  readonly as?: As | undefined;
  readonly method?: string;
  readonly path: string;
  /** Sent as it is if it is a text or bytes, else as JSON. */
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
};

/** Sends requests that no contract checks, and answers with the code of the problem beside the rest. */
export function rawRequests(api: ReturnType<typeof startApi>) {
  return async ({ as, method = "GET", path, body, headers }: RawRequest) => {
    const isRaw = typeof body === "string" || body instanceof Uint8Array;
    const response = await api.send(path, {
      method,
      headers: {
        ...(as && { authorization: `Bearer ${await api.tokenOf(as)}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: isRaw ? (body as string) : JSON.stringify(body) }),
    });
    const answer = await readAnswer(response);
    const { code, errors } = (typeof answer.body === "object" ? answer.body : {}) as Partial<Problem>;
    return { ...answer, code, errors };
  };
}

type Bytes = {
  /** The request target as it is sent: nothing is normalized. */
  readonly path?: string;
  readonly method?: string;
  /** Any headers, `Host` included; an array of names and values may repeat them. */
  readonly headers?: Readonly<Record<string, string>> | readonly string[];
};

/** A request as it is written, which fetch would normalize or refuse. */
export function sendBytes(
  url: string,
  { path = "/", method = "GET", headers = {} }: Bytes,
): Promise<{ status: number; headers: IncomingHttpHeaders; body: string }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { path, method, headers }, (response) => {
      let body = "";
      response.on("data", (chunk) => (body += String(chunk)));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }));
    });
    outgoing.on("error", reject).end();
  });
}
