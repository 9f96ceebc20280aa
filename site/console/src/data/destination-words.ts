import { numberOf, timeOf } from "../format.ts";
import type { Attempt, Delivery, Destination, Outcome } from "./odis.ts";

/** How a person recognizes a destination: by its description, or by the host of its URL. */
export const destinationName = ({ description, url }: Destination): string => description || new URL(url).host;

const reasonTexts = {
  gone: "It answered 410, which asks to send nothing more.",
  failing: "Its attempts failed for five days.",
  owner_changed: "The community has a new owner.",
  restored: "The data was restored from a backup.",
};

/** The state of a destination in words, with the tone of its badge. */
export function destinationState({ status, disabled_reason, failing_since }: Destination) {
  if (status === "disabled")
    return {
      tone: disabled_reason ? "danger" : "neutral",
      name: "Disabled",
      text: disabled_reason ? reasonTexts[disabled_reason] : "Somebody disabled it.",
    } as const;
  if (failing_since === null) return { tone: "good", name: "Enabled", text: undefined } as const;
  const text = `Attempts have failed since ${timeOf(failing_since)}. After five days of failures, it is disabled.`;
  return { tone: "warning", name: "Failing", text } as const;
}

/** The status of a delivery in words, with the tone of its badge. */
export function deliveryState({ status, attempts_made }: Delivery) {
  if (status === "delivered") return { tone: "good", name: "Delivered" } as const;
  if (status === "failed") return { tone: "danger", name: "Failed" } as const;
  return { tone: "warning", name: attempts_made === 0 ? "Not sent yet" : "Will be sent again" } as const;
}

/** What came of an attempt: `answered 500`. */
export function attemptText({ error, status_code }: Pick<Attempt, "error" | "status_code">, timeout = 15): string {
  switch (error) {
    case "timeout":
      return `no answer within ${timeout} seconds`;
    case "connection":
      return "no connection";
    case "tls":
      return "the certificate is not valid";
    case "address_refused":
      return "the address is not public";
    case "redirect":
      return `answered ${status_code}, and redirects are not followed`;
    case "status":
    case null:
      return `answered ${status_code}`;
  }
}

/** The outcome of a ping in a sentence. */
export function pingText(outcome: Outcome): string {
  const text = `${attemptText(outcome, 5)}, after ${numberOf(outcome.duration_ms)} ms`;
  return outcome.error === null ? `The receiver works: ${text}.` : `The ping failed: ${text}.`;
}
