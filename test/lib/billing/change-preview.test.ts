import { expect, it } from "vitest";
import { openPreview, signPreview } from "#lib/billing/change-preview.ts";

process.env.CURSOR_KEY = "a key of this test";
const now = new Date("2026-11-30T12:00:00Z");

it.each([
  ["of now is accepted", 0, true],
  ["of ten minutes ago is accepted", -600, true],
  ["a second older than that is refused", -601, false],
  ["of a clock that is ahead by ten seconds is accepted", 10, true],
  ["a second further ahead is refused", 11, false],
  ["four weeks ahead, when a change costs least, is refused", 28 * 86_400, false],
])("a preview %s", (_, seconds, isAccepted) => {
  const preview = { id: "1", at: now.getTime() + seconds * 1000, promised: "0" };
  const request = { dry_run: false };
  const preview_id = signPreview("own", "sub_1", request, preview);
  const open = () => openPreview("own", "sub_1", { ...request, preview_id }, now);
  if (isAccepted) expect(open()).toEqual(preview);
  else expect(open).toThrow(expect.objectContaining({ code: "preview_expired" }));
});
