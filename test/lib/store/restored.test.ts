import { expect, it } from "vitest";
import { type RestoreInput, restoredMember } from "#lib/store/members/restored.ts";
import { memberOf } from "../../support/given.ts";

const at = "2026-11-21T12:00:00.000Z";
const copy = memberOf({ id: 1, owner: { id: 1 }, tier: { id: 2 } } as never);
const restored = (actions: readonly object[]) =>
  restoredMember({
    copy,
    item: undefined,
    user: copy.user,
    since: actions.map((entry) => ({ at, before: null, after: null, ...entry })) as unknown as RestoreInput["since"],
    movements: [],
    isAtStripe: false,
    overwritesEdits: false,
  }).member;

const blocked = { action: "blocked", after: { is_blocked: true, block_reason: "Spam" } };
const none = { is_blocked: false, blocked_at: null, blocked_by: null, block_reason: null };

it.each([
  ["a user", { type: "user", id: 3 }, 3],
  ["an API key, which is no person", { type: "api_key", id: 4 }, null],
  ["the system", { type: "system", id: null }, null],
])("a restored member has the block of %s since the copy", (_, actor, blocked_by) => {
  const block = { is_blocked: true, blocked_at: at, blocked_by, block_reason: "Spam" };
  expect(restored([{ ...blocked, actor }])).toMatchObject(block);
  expect(
    restored([
      { ...blocked, actor },
      { action: "edited", actor },
    ]),
  ).toMatchObject(block);
  expect(
    restored([
      { ...blocked, actor },
      { action: "unblocked", actor },
    ]),
  ).toMatchObject(none);
});
