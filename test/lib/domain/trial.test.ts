import { expect, it } from "vitest";
import { type Trial, trialAnnouncementAt } from "#lib/domain/trial.ts";

const start = "2026-11-01T12:00:00.000Z";

it.each<[string, Partial<Trial>, string | undefined]>([
  ["3 days before it", { trial_end: "2026-11-15T12:00:00.000Z" }, "2026-11-12T12:00:00.000Z"],
  ["at the start of a trial of 3 days", { trial_end: "2026-11-04T12:00:00.000Z" }, start],
  ["at the start of a shorter trial", { trial_end: "2026-11-02T12:00:00.000Z" }, start],
  ["only once", { trial_end: "2026-11-15T12:00:00.000Z", trial_announced: start }, undefined],
  [
    "again for another trial",
    { trial_end: "2026-11-15T12:00:00.000Z", trial_announced: "2026-01-01T12:00:00.000Z" },
    "2026-11-12T12:00:00.000Z",
  ],
  ["never after the trial", { status: "active", trial_end: "2026-11-15T12:00:00.000Z" }, undefined],
  ["never without a trial", { trial_start: null, trial_end: null }, undefined],
])("the end of a trial is announced %s", (_, over, expected) => {
  expect(trialAnnouncementAt({ status: "trialing", trial_start: start, trial_end: null, ...over })).toBe(expected);
});
