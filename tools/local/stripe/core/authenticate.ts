import { type HttpRequest, headerOf } from "../../loopback.ts";
import { apiVersion } from "./events.ts";
import { invalid } from "./failure.ts";

/** @throws ApiFailure where the key is none or a live one, and where another version is asked for */
export function authenticate(request: HttpRequest): void {
  const [scheme = "", credentials = ""] = (headerOf(request, "authorization") ?? "").split(" ");
  const decoded = scheme.toLowerCase() === "basic" ? Buffer.from(credentials, "base64").toString() : credentials;
  const [key = ""] = decoded.split(":");
  if (key === "") {
    const hint =
      "You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY').";
    throw invalid(`You did not provide an API key. ${hint}`, {}, 401);
  }
  if (!/^[sr]k_test_/.test(key))
    throw invalid("The local Stripe takes test keys only: sk_test_… or rk_test_….", {}, 401);
  const version = headerOf(request, "stripe-version") ?? apiVersion;
  if (version !== apiVersion) throw invalid(`The local Stripe speaks ${apiVersion} only, not ${version}.`);
}
