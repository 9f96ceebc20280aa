import { expect, it } from "vitest";
import { isProfileChange } from "#lib/billing/profile-changes.ts";
import { keys } from "#lib/store/keys.ts";
import { recordOf } from "../projections/stream.ts";

const profile = { id: 7, username: "ana", email: "ana@example.com", first_name: "Ana", last_name: "Ruiz" };

it.each([
  ["username", true],
  ["email", true],
  ["first_name", true],
  ["last_name", true],
  ["updated_at", false],
  ["sub", false],
])("whether a change of the %s of a profile is copied to the person's records is %s", (name, isCopied) => {
  const changed = { ...profile, [name]: "another" };
  const { [name]: _, ...without } = changed as Record<string, unknown>;
  expect(isProfileChange(recordOf(keys.user(7), profile, changed))).toBe(isCopied);
  expect(isProfileChange(recordOf(keys.user(7), without, changed))).toBe(isCopied);
  expect(isProfileChange(recordOf(keys.user(7), changed, without))).toBe(isCopied);
  expect(isProfileChange(recordOf(keys.member(1, 7), profile, changed))).toBe(false);
});
