import * as v from "valibot";
import { type Issue, Problem, validationFailed } from "../problem.ts";
import type { MemberStatus } from "../values/member-status.ts";
import { Id, oneOf, Timestamp } from "../values/scalars.ts";

/** A page of an application, to which a page of Stripe returns. */
export const Redirect = v.pipe(v.string(), v.maxLength(2000), v.url("must be a URL"));

export const CheckoutRequest = v.strictObject({
  tier_id: Id,
  interval: v.optional(oneOf(["month", "year"]), "month"),
  success_url: Redirect,
  cancel_url: Redirect,
});
export type CheckoutRequest = v.InferOutput<typeof CheckoutRequest>;

/** The problem of a person whose membership is live. An unpaid one grants no access, and would otherwise end with its period. */
export const alreadyAMember = (status: MemberStatus): Problem =>
  new Problem("already_a_member", {
    detail:
      status === "unpaid"
        ? "Your subscription in this community is unpaid or paused. Pay or resume it. To join again, cancel it with the mode immediately first"
        : "You already have a live subscription in this community",
  });

export const CheckoutSession = v.object({ id: v.string(), url: v.string(), expires_at: Timestamp });

export const PortalRequest = v.strictObject({ return_url: Redirect });

export const PortalSession = v.object({ url: v.string() });

const placeholder = "{CHECKOUT_SESSION_ID}";

/**
 * Parses the return URLs. The parsed form is sent to Stripe, so that Odis and Stripe interpret the URLs in the same
 * way. Accepts only URLs of the configured origins.
 *
 * @param origins `https://app.example.com`, or `http://localhost:*` for every port of a host
 * @throws Problem `validation_failed`, with each field whose URL is invalid or has another origin
 */
export function ownAddresses<Name extends string>(
  addresses: Readonly<Record<Name, string>>,
  origins: readonly string[],
): Record<Name, string> {
  const parsed = Object.entries<string>(addresses).map(([name, text]) => ({ name, text, url: new URL(text) }));
  const errors = parsed.flatMap(({ name, url }): Issue[] => {
    const pointer = `/${name}`;
    if (!isSafe(url)) return [{ pointer, code: "invalid_format", message: "must be an https URL without credentials" }];
    if (origins.includes(url.origin) || origins.includes(`${url.protocol}//${url.hostname}:*`)) return [];
    return [{ pointer, code: "foreign_origin", message: "must be of a configured origin" }];
  });
  if (errors.length > 0) throw validationFailed(errors);
  return Object.fromEntries(parsed.map(({ name, text, url }) => [name, hrefOf(text, url)])) as Record<Name, string>;
}

const isSafe = ({ protocol, hostname, username, password }: URL): boolean =>
  (protocol === "https:" || (protocol === "http:" && isLoopback(hostname))) && username === "" && password === "";

const isLoopback = (hostname: string): boolean => ["localhost", "127.0.0.1", "[::1]"].includes(hostname);

/** The parsed URL. The parser encodes braces in a path, which are restored for Stripe's placeholder. */
const hrefOf = (text: string, { href }: URL): string =>
  text.includes(placeholder) ? href.replaceAll(encodeURIComponent(placeholder), placeholder) : href;
