import { type IncomingHttpHeaders, request } from "node:http";
import { type As, type Problem, readAnswer, type startApi } from "./api.ts";

export type RawRequest = {
  readonly as?: As | undefined;
  readonly method?: string;
  readonly path: string;
  /** Text and bytes are sent unchanged, other values as JSON. */
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
};

/** Sends requests without checking the contract. Responses include the code of the problem. */
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
  /** The request target, which is not normalized. */
  readonly path?: string;
  readonly method?: string;
  /** Headers, including `Host`. An array of names and values may repeat a header. */
  readonly headers?: Readonly<Record<string, string>> | readonly string[];
};

/** Sends a raw request that fetch would normalize or refuse. */
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
