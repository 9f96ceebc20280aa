import { type HttpAnswer, type HttpRequest, headerOf, type Serving, serve } from "../../tools/local/loopback.ts";
import { sitePages } from "../../tools/local/pages.ts";

/**
 * Replaces CloudFront, because ministack does not support origins. Serves the site's files and forwards other requests
 * to the API.
 */
export function startFront(url: string, { isBroken = false } = {}): Promise<Serving> {
  const pages = sitePages();
  return serve({ port: 0, maxBodyBytes: 0 }, async (request) =>
    isBroken ? { status: 503, headers: [], body: "" } : (pages(request) ?? forwarded(url, request)),
  );
}

async function forwarded(url: string, { method, target, headers }: HttpRequest): Promise<HttpAnswer> {
  const authorization = headerOf({ headers }, "authorization");
  const response = await fetch(url + target, { method, headers: authorization === undefined ? {} : { authorization } });
  return { status: response.status, headers: [], body: await response.text() };
}
