import { apiVersion } from "./events.ts";
import { invalid } from "./failure.ts";
import type { StripeRequest } from "./http.ts";

/**
 * @returns the key
 * @throws ApiFailure if the key is missing or a live one, or if another API version is requested
 */
export function authenticate({ headers }: StripeRequest): string {
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
  const version = headers["stripe-version"] ?? apiVersion;
  if (version !== apiVersion) throw invalid(`The local Stripe speaks ${apiVersion} only, not ${version}.`);
  return key;
}
