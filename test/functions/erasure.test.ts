import { beforeAll, describe, expect, it, vi } from "vitest";
import { billing } from "#lib/billing/stripe.ts";
import * as me from "#lib/contract/me.ts";
import * as membersRoutes from "#lib/contract/members.ts";
import * as usersRoutes from "#lib/contract/users.ts";
import { connectOutside, type Outside } from "#lib/person/outside.ts";
import { runSchedule } from "#lib/person/schedule.ts";
import { addressHash } from "#lib/store/address-hash.ts";
import { keys } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { write } from "#lib/store/write.ts";
import { addProfile, password, subOf } from "../../tools/local/users.ts";
import { erasedUsers } from "../../tools/scripts/erased-users.ts";
import { replayAll } from "../../tools/scripts/replay-all.ts";
import { admin, startApi } from "../support/api.ts";
import { fromNow } from "../support/clock.ts";
import { askCognito } from "../support/cognito.ts";
import { aCommunity, aMember, anInvitation, aTeamMember } from "../support/given.ts";

const api = startApi();
const { call } = api;

/** A member with a profile and an account, who is imported and has no subscription. */
async function aPerson(): Promise<StoredMember> {
  const community = await aCommunity(api.table);
  const member = await aMember(api.table, community, { status: "canceled" });
  await addProfile(api.table, member.user);
  const { username, email, id } = member.user;
  await api.stack.cognito.addUser({ username, email, password, sub: subOf(id) });
  return member;
}

const signIn = async ({ user }: StoredMember) => {
  const AuthParameters = { USERNAME: user.username, PASSWORD: password };
  const input = { AuthFlow: "USER_PASSWORD_AUTH", ClientId: process.env.CLIENT_ID, AuthParameters };
  const { body } = await askCognito(api.stack.cognito, "InitiateAuth", input);
  return body as { AuthenticationResult?: { AccessToken: string }; message?: string };
};

describe("somebody who erases themself over HTTP", () => {
  let member: StoredMember;
  let headers: Record<string, string>;
  let answered: unknown;
  beforeAll(async () => {
    member = await aPerson();
    const { AuthenticationResult } = await signIn(member);
    headers = { authorization: `Bearer ${AuthenticationResult?.AccessToken}` };
    const body = { dry_run: false };
    answered = await call(me.erase, { headers, body });
  });

  it("a person who erases themself gets a response with erased: true", () => {
    expect(answered).toMatchObject({ status: 200, body: { erased: true, dry_run: false, blockers: [] } });
  });

  it("an erased person can repeat the erasure with the same token, and nothing else", async () => {
    expect((await call(me.erase, { headers, body: { dry_run: true } })).body.erased).toBe(true);
    expect((await call(me.data, { headers })).status).toBe(401);
    const explored = await api.send("/api/v1/communities/explore", { headers });
    expect(explored.status).toBe(401);
  });

  it("an erased person has no account in the user pool", async () => {
    expect(await signIn(member)).toMatchObject({ message: "Incorrect username or password." });
  });

  it("an erased person is shown to owners without a name, and sends no personal data to the bus", async () => {
    const params = { community_id: member.community_id, id: member.id };
    const { body } = await call(membersRoutes.show, { params, as: admin });
    const names = { username: "erased", email: "", first_name: "", last_name: "" };
    expect(body.user).toEqual({ id: member.user.id, ...names });
    await api.stack.settled();
    const told = await (await fetch(`${api.stack.bus.url}/events`)).text();
    expect(told).toContain(String(member.id));
    expect(told).not.toContain(member.user.email);
  });

  it("an erased person is listed in the bucket from which erasures are repeated after a restore", async () => {
    const listed: number[] = [];
    for await (const id of erasedUsers()) listed.push(id);
    expect(listed).toContain(member.user.id);
  });
});

it("erasures are repeated one by one, and a failed one does not stop the others", async () => {
  const [first, second] = [await aPerson(), await aPerson()];
  for (const { user } of [first, second]) {
    const { status } = await call(usersRoutes.erase, { params: { id: user.id }, as: admin, body: { dry_run: false } });
    expect(status).toBe(200);
    // Like in a restored table. The profile is replaced, because names cannot be written to a marked profile.
    const profile = await api.table.get(keys.user(user.id));
    await write(api.table, [{ delete: keys.erasure(user.id) }, { delete: keys.user(user.id) }]);
    const { erased_at: _, ...kept } = profile ?? {};
    await write(api.table, [{ put: { ...keys.user(user.id), ...kept, ...user }, when: "absent" }]);
  }
  async function* ids() {
    yield first.user.id;
    yield second.user.id;
    yield 987654321;
  }
  const connected = connectOutside();
  const record = vi.fn<Outside["record"]>(connected.record).mockRejectedValueOnce(new Error("No bucket"));
  const outside = { ...connected, record };
  const context = { table: api.table, billing: billing(() => 60_000), now: new Date(), outside };
  const lines: string[] = [];
  const report = { onProgress: () => {}, onFailed: (line: string) => lines.push(line) };
  const counts = { erased: 1, already_erased: 0, unknown: 1, failed: 1 };
  expect(await replayAll(context, ids(), report)).toEqual(counts);
  expect(lines).toEqual([`user ${first.user.id} could not be erased: No bucket`]);
  expect(await replayAll(context, ids(), report)).toEqual({ ...counts, erased: 1, already_erased: 1, failed: 0 });
});

it("the export of a caller without a profile is empty", async () => {
  const { body } = await call(me.data, { as: { id: 987654321 } });
  expect(body).toEqual({ profile: null, memberships: [], teams: [], invitations: [] });
});

it("an export contains the teams of a person and the invitations to their address, and an erasure removes both", async () => {
  const { user } = await aPerson();
  const [community, other, third] = [
    await aCommunity(api.table),
    await aCommunity(api.table),
    await aCommunity(api.table),
  ];
  await aTeamMember(api.table, community, { user, role: "manager" });
  const invitation = await anInvitation(api.table, other, { email: user.email, role: "viewer" });
  const { id: others } = await anInvitation(api.table, other);
  const exporting = () => call(usersRoutes.data, { params: { id: user.id }, as: admin });
  expect((await exporting()).body).toMatchObject({
    teams: [{ community: { id: community.id, name: "Mezcal Circle" }, role: "manager" }],
    invitations: [{ community: { id: other.id }, role: "viewer", email: user.email }],
  });

  const erasing = (dry_run: boolean) =>
    call(usersRoutes.erase, { params: { id: user.id }, as: admin, body: { dry_run } });
  const counts = { team_member: 1, team_of: 1, invitation: 1, invitation_to: 1, invitation_parent: 1 };
  expect((await erasing(true)).body.counts).toMatchObject(counts);
  expect((await erasing(false)).body.counts).toMatchObject(counts);
  expect((await exporting()).body).toMatchObject({ teams: [], invitations: [] });
  const removed = await api.table.getAll([
    keys.teamMember(community.id, user.id),
    keys.teamOf(user.id, community.id),
    keys.invitation(other.id, invitation.id),
    keys.invitationParent(invitation.id),
    keys.invitationTo(addressHash(user.email), other.id),
  ]);
  expect(removed).toEqual([]);
  expect(await api.table.get(keys.invitation(other.id, others))).toBeDefined();
  // The address may be invited again, as that of somebody unknown.
  await anInvitation(api.table, third, { email: user.email });
});

it("an invitation to the address of the account is exported and removed too if the profile has another one", async () => {
  const { user } = await aPerson();
  const [one, other] = [await aCommunity(api.table), await aCommunity(api.table)];
  const email = `new-${user.email}`;
  await api.stack.cognito.addUser({ username: user.username, email, password, sub: subOf(user.id) });
  const invited = await anInvitation(api.table, one, { email });
  const earlier = await anInvitation(api.table, other, { email: user.email });

  const exported = await call(usersRoutes.data, { params: { id: user.id }, as: admin });
  expect(exported.body.invitations).toMatchObject([{ email }]);
  const erased = await call(usersRoutes.erase, { params: { id: user.id }, as: admin, body: { dry_run: false } });
  expect(erased.body.counts).toMatchObject({ invitation: 2 });
  const invitations = [keys.invitation(one.id, invited.id), keys.invitation(other.id, earlier.id)];
  expect(await api.table.getAll(invitations)).toEqual([]);
});

it("the second look of an erasure removes an invitation that was made during it, and keeps a later one", async () => {
  const { user } = await aPerson();
  const [one, other] = [await aCommunity(api.table), await aCommunity(api.table)];
  const begunAt = new Date();
  await call(usersRoutes.erase, { params: { id: user.id }, as: admin, body: { dry_run: false } });
  const during = await anInvitation(api.table, one, { email: user.email, now: begunAt });
  const later = await anInvitation(api.table, other, { email: user.email, now: fromNow({ minutes: 1 }) });

  const context = {
    table: api.table,
    billing: billing(() => 60_000),
    now: fromNow({ hours: 2 }),
    outside: connectOutside(),
  };
  await runSchedule(context, { livemode: false, left: () => 60_000 });
  expect(await api.table.get(keys.erasure(user.id))).toMatchObject({ due_at: null });
  const itemsOf = (id: number, { id: invitationId }: { id: number }) =>
    api.table.getAll([
      keys.invitation(id, invitationId),
      keys.invitationParent(invitationId),
      keys.invitationTo(addressHash(user.email), id),
    ]);
  expect(await itemsOf(one.id, during)).toEqual([]);
  expect(await itemsOf(other.id, later)).toHaveLength(3);
});
