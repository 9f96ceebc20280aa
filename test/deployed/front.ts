import { type HttpAnswer, type HttpRequest, type Serving, serve } from "../../tools/local/loopback.ts";
import { sitePages } from "../../tools/local/pages.ts";

/** Headers that belong to a connection. `fetch` has decoded the body of the response. */
const ofConnection = /^(?:host|connection|keep-alive|content-length|content-encoding|transfer-encoding)$/i;

/**
 * Replaces CloudFront, because ministack does not support origins. Serves the site's files and forwards other requests
 * to the API.
 *
 * @param url of the API, or a function that finds it
 */
export function startFront(url: string | (() => Promise<string>), { isBroken = false } = {}): Promise<Serving> {
  const pages = sitePages();
  return serve({ port: 0, maxBodyBytes: 1_000_000 }, async (request) => {
    if (isBroken) return { status: 503, headers: [], body: "" };
    return pages(request) ?? forwarded(typeof url === "string" ? url : await url(), request);
  });
}

async function forwarded(url: string, { method, target, headers, body }: HttpRequest): Promise<HttpAnswer> {
  const response = await fetch(url + target, {
    method,
    headers: headers
      .filter(([name]) => !ofConnection.test(name))
      .map(([name, value]): [string, string] => [name, value]),
    ...(body?.length && { body: new Uint8Array(body) }),
  });
  return {
    status: response.status,
    headers: [...response.headers].filter(([name]) => !ofConnection.test(name)),
    body: await response.text(),
  };
}
