import type { Account } from "./account.ts";
import { apiVersion } from "./events.ts";
import { invalid } from "./failure.ts";
import type { StripeRequest } from "./http.ts";

/** A key as it appears in messages: its kind, and its last six characters. */
const masked = (key: string): string => `${key.slice(0, 8)}${"*".repeat(Math.max(0, key.length - 14))}${key.slice(-6)}`;

/**
 * @returns the key
 * @throws ApiFailure if the key is missing, has expired or is a live one, or if another API version is requested
 */
export function authenticate(account: Account, { headers }: StripeRequest): string {
  const [scheme = "", credentials = ""] = (headers.authorization ?? "").split(" ");
  const decoded = scheme.toLowerCase() === "basic" ? Buffer.from(credentials, "base64").toString() : credentials;
  const [key = ""] = decoded.split(":");
  if (key === "") {
    const hint =
      "You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').";
    throw invalid(`You did not provide an API key. ${hint}`, {}, 401);
  }
  if (!/^[sr]k_test_/.test(key))
    throw invalid("The local Stripe takes test keys only: sk_test_… or rk_test_….", {}, 401);
  const rolled = account.get("rolled_key", key);
  if (rolled && rolled.expires_at <= account.now())
    throw invalid(`Expired API Key provided: ${masked(key)}`, { code: "api_key_expired" }, 401);
  if (key.startsWith("rk_") && !account.get("restricted_key", key))
    throw invalid(`Invalid API Key provided: ${masked(key)}`, {}, 401);
  const version = headers["stripe-version"] ?? apiVersion;
  if (version !== apiVersion) throw invalid(`The local Stripe speaks ${apiVersion} only, not ${version}.`);
  return key;
}
