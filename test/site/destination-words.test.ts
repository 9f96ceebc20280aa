import { expect, it } from "vitest";
import type { Delivery, Destination } from "../../client/schema.ts";
import {
  attemptText,
  deliveryState,
  destinationState,
  pingText,
} from "../../site/console/src/data/destination-words.ts";

it.each([
  ["pending", 0, "Not sent yet"],
  ["pending", 1, "Will be sent again"],
  ["pending", 9, "Will be sent again"],
  ["delivered", 1, "Delivered"],
  ["failed", 10, "Failed"],
] as const)("a %s delivery after %i attempts is shown as %s", (status, attempts_made, name) => {
  expect(deliveryState({ status, attempts_made } as Delivery).name).toBe(name);
});

it.each([
  [null, 204, "answered 204"],
  ["status", 500, "answered 500"],
  ["redirect", 301, "answered 301, and redirects are not followed"],
  ["timeout", null, "no answer within 15 seconds"],
  ["connection", null, "no connection"],
  ["tls", null, "the certificate is not valid"],
  ["address_refused", null, "the address is not public"],
] as const)("an attempt with the error %s and the status %s is shown as %s", (error, status_code, text) => {
  expect(attemptText({ error, status_code })).toBe(text);
});

it.each([
  [{ error: null, status_code: 200, duration_ms: 1234 }, "The receiver works: answered 200, after 1,234 ms."],
  [
    { error: "timeout", status_code: null, duration_ms: 5000 },
    "The ping failed: no answer within 5 seconds, after 5,000 ms.",
  ],
] as const)("the outcome of a ping %j is shown as %s", (outcome, text) => {
  expect(pingText(outcome)).toBe(text);
});

it.each([
  ["enabled", null, null, "good", "Enabled"],
  ["enabled", null, "2026-12-01T09:30:00.000Z", "warning", "Failing"],
  ["disabled", null, null, "neutral", "Disabled"],
  ["disabled", "gone", null, "danger", "Disabled"],
  ["disabled", "failing", "2026-12-01T09:30:00.000Z", "danger", "Disabled"],
] as const)("a destination that is %s for %s and fails since %s is %s: %s", (...row) => {
  const [status, disabled_reason, failing_since, tone, name] = row;
  const shown = destinationState({ status, disabled_reason, failing_since } as Destination);
  expect(shown).toMatchObject({ tone, name });
});
