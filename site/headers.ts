/** What a page may load beyond its own scripts and styles, as sources of a Content-Security-Policy. */
type Exceptions = { readonly styles?: string; readonly images?: string; readonly signsIn?: true };

/** Pages that need more than the others, by their path. */
const exceptions: Readonly<Record<string, Exceptions>> = {
  // The reference's library writes style elements of its own.
  "/docs": { styles: "'unsafe-inline'" },
  // Communities have their pictures wherever they like.
  "/explore": { images: "https:" },
  // It signs people in.
  "/console": { signsIn: true },
};

/** Paths of pages whose policy is not that of all others. */
export const pagesWithPolicy: readonly string[] = Object.keys(exceptions);

/**
 * The Content-Security-Policy of a page: it runs our scripts alone and talks to nobody but us and, if it signs people in,
 * the user pool.
 *
 * @param path path of the page; that of any other file leads to the policy without exceptions
 * @param signIn origin of the user pool
 */
export function contentSecurityPolicy(path?: string, signIn?: string): string {
  const { styles, images, signsIn }: Exceptions = exceptions[path ?? ""] ?? {};
  return [
    "default-src 'none'",
    "script-src 'self'",
    ["style-src 'self'", styles].filter(Boolean).join(" "),
    ["img-src 'self' data:", images].filter(Boolean).join(" "),
    "font-src data:",
    ["connect-src 'self'", signsIn && signIn].filter(Boolean).join(" "),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** No other site shares a window with a page. */
export const crossOriginOpenerPolicy = { header: "cross-origin-opener-policy", value: "same-origin" } as const;

/** Headers of every file, besides its Content-Security-Policy. */
export const commonHeaders: Readonly<Record<string, string>> = {
  [crossOriginOpenerPolicy.header]: crossOriginOpenerPolicy.value,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** Folder of the files whose names hold a hash of their contents. */
export const hashed = "assets";

/** `Cache-Control` of files whose names hold a hash, and of all others. */
export const cacheControl = {
  hashed: "public, max-age=31536000, immutable",
  others: "no-cache",
} as const;
