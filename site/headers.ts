/** What a page may load besides its own scripts and styles, as sources of a Content-Security-Policy. */
type Exceptions = { readonly styles?: string; readonly images?: string; readonly signsIn?: true };

/** Pages that need more than the default policy allows, by path. */
const exceptions: Readonly<Record<string, Exceptions>> = {
  // The reference's library writes `<style>` elements.
  "/docs": { styles: "'unsafe-inline'" },
  // Avatars of communities can be hosted anywhere.
  "/explore": { images: "https:" },
  // The console shows avatars too, and signs people in at the user pool.
  "/console": { images: "https:", signsIn: true },
};

/** Paths of pages with a policy of their own. */
export const pagesWithPolicy: readonly string[] = Object.keys(exceptions);

/**
 * The Content-Security-Policy of a page. The page may run only scripts of the site, and may connect only to its own
 * origin and, if it signs people in, to the user pool.
 * @param path path of the page. Paths without an exception get the default policy.
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

/** Prevents pages of other origins from sharing a browsing context group with a page. */
export const crossOriginOpenerPolicy = { header: "cross-origin-opener-policy", value: "same-origin" } as const;

/** Headers of every file, besides its Content-Security-Policy. */
export const commonHeaders: Readonly<Record<string, string>> = {
  // The files are the same for everybody, and apps of other origins read some of them.
  "access-control-allow-origin": "*",
  [crossOriginOpenerPolicy.header]: crossOriginOpenerPolicy.value,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** Folder of the files whose names contain a hash of their content. */
export const hashed = "assets";

/** `Cache-Control` of files whose names contain a hash, and of all other files. */
export const cacheControl = {
  hashed: "public, max-age=31536000, immutable",
  others: "no-cache",
} as const;
