import { type HttpAnswer, type HttpRequest, type Serving, serve } from "../../tools/local/loopback.ts";
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

async function forwarded(url: string, { method, target }: HttpRequest): Promise<HttpAnswer> {
  const response = await fetch(url + target, { method });
  return { status: response.status, headers: [], body: await response.text() };
}
