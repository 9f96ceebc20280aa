import { expect, it } from "vitest";
import { nextAttemptOf } from "#lib/domain/delivery.ts";

const minute = 60_000;

it.each([
  ["the first attempt follows 5 s", 1, 15_000, 5_000],
  ["the second one 5 minutes", 2, 40, 5 * minute],
])(
  "the attempt after %s after the end of the one before, whose duration counts",
  (_, attempts_made, duration_ms, delay) => {
    const startedAt = Date.parse("2026-03-01T12:00:00.000Z");
    const last = { at: new Date(startedAt).toISOString(), status_code: null, duration_ms, error: "timeout" as const };
    expect(nextAttemptOf({ status: "pending", attempts: [last], attempts_made }, () => 0.5)).toEqual(
      new Date(startedAt + duration_ms + delay),
    );
  },
);
