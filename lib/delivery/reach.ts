import { isLoopbackUrl } from "../domain/destination.ts";
import { env } from "../env.ts";
import { validationFailed } from "../problem.ts";

/** Whether receivers on this machine are allowed: only in the local stack. */
export const allowsLoopback = (): boolean => env("LOOPBACK_DESTINATIONS") === "true";

/** @throws Problem `validation_failed` for a receiver on this machine, except in the local stack */
export function assertReachable(url: string | undefined): void {
  if (url === undefined || allowsLoopback() || !isLoopbackUrl(url)) return;
  const message = "must be an https URL on port 443 or 8443 of a public host, without credentials or a fragment";
  throw validationFailed([{ pointer: "/event_destination/url", code: "invalid_format", message }]);
}
