import { createHmac, timingSafeEqual } from "node:crypto";

export type Downloads = {
  /** Returns a signed link to a file of this server. Put it only on pages behind the door. */
  readonly linkTo: (path: string) => string;
  /** Whether the request has the signature of its path and has not expired. */
  readonly isAllowed: (request: Request) => boolean;
};

/** How long a link is valid, in milliseconds. Everybody who has the link can use it for as long. */
const validMs = 5 * 60_000;

/** Signs links to downloads, so that a download needs neither a token nor a request to the API. */
export function createDownloads(secret: string, now: () => number = Date.now): Downloads {
  const signatureOf = (path: string, expires: string) =>
    createHmac("sha256", secret).update(`${path}\n${expires}`).digest();

  return {
    linkTo(path) {
      const { pathname } = new URL(path, "https://localhost");
      const expires = String(now() + validMs);
      return `${pathname}?expires=${expires}&signature=${signatureOf(pathname, expires).toString("base64url")}`;
    },
    isAllowed(request) {
      const { pathname, searchParams } = new URL(request.url);
      const expires = searchParams.get("expires") ?? "";
      const signature = Buffer.from(searchParams.get("signature") ?? "", "base64url");
      const expected = signatureOf(pathname, expires);
      const isSigned = signature.length === expected.length && timingSafeEqual(signature, expected);
      return isSigned && Number(expires) > now();
    },
  };
}
