import { describe, expect, it } from "vitest";
import type { Endpoint } from "#lib/http/handler.ts";
import { Problem } from "#lib/problem.ts";
import * as communities from "#lib/store/communities.ts";
import * as erasures from "#lib/store/erasures.ts";
import { keys } from "#lib/store/keys.ts";
import * as users from "#lib/store/users.ts";
import { handler as activity } from "../../functions/communities/activity.ts";
import { handler as updateCommunity } from "../../functions/communities/update.ts";
import { handler as showMe } from "../../functions/me/show.ts";
import { handler as importMembers } from "../../functions/members/import-batch.ts";
import { handler as showMember } from "../../functions/members/show.ts";
import { handler as accept } from "../../functions/team/accept.ts";
import { handler as invite } from "../../functions/team/invite.ts";
import { handler as list } from "../../functions/team/list.ts";
import { handler as listInvitations } from "../../functions/team/list-invitations.ts";
import { handler as remove } from "../../functions/team/remove.ts";
import { handler as removeInvitation } from "../../functions/team/remove-invitation.ts";
import { handler as update } from "../../functions/team/update.ts";
import { addProfile } from "../../tools/local/users.ts";
import { type As, admin } from "../support/api.ts";
import { beforeWrite } from "../support/before-write.ts";
import { type Call, invoke, startTable } from "../support/direct.ts";
import {
  aCommunity,
  aDestination,
  addressOf,
  aMember,
  anInvitation,
  aTeamMember,
  type GivenCommunity,
  givenBy,
} from "../support/given.ts";

const test = startTable();
const now = new Date("2026-11-21T12:00:00.000Z");
const given = { now };

const ask = (endpoint: Endpoint, call: Call, over = {}) => invoke(endpoint, test.platform(over), call);
const outcome = async (asking: ReturnType<typeof ask>) => {
  const { status, body } = await asking;
  return [status, body?.code];
};
const forbidden = [403, "forbidden"];
const missing = [404, "not_found"];

let nextId = 5_000_001;
/** A person with a profile and a verified address. */
async function aPerson() {
  const id = nextId++;
  await addProfile(test.table, { id, username: `user${id}`, first_name: "Ana", last_name: "Ruiz" });
  return { id };
}

/** Marks a person as erased, and does nothing else of an erasure. */
async function mark({ id }: { readonly id: number }): Promise<void> {
  const user = await users.find(test.table, id);
  if (user) await erasures.begin(test.table, user, {}, undefined);
}

const inCommunity = ({ id }: { readonly id: number }) => ({ params: { community_id: id } });
const inviting = (community: GivenCommunity, email: string, role = "support", as: As = community.owner) =>
  ask(invite, { ...inCommunity(community), as, body: { invitation: { email, role } } });
const accepting = (id: unknown, as: As, over = {}) => ask(accept, { params: { id }, as, body: {} }, over);
const teamOf = async (community: GivenCommunity) =>
  (await ask(list, { ...inCommunity(community), as: community.owner })).body?.data as readonly {
    user: { id: number };
  }[];
const invitationsOf = async (community: GivenCommunity) =>
  (await ask(listInvitations, { ...inCommunity(community), as: community.owner })).body?.data as readonly object[];
const transfer = async ({ id }: GivenCommunity, owner_id: number) =>
  communities.update(test.table, await communities.open(test.table, id), { owner_id }, givenBy(at(0, 1)));
const actionsOf = async ({ id, owner }: GivenCommunity) => {
  const { body } = await ask(activity, { params: { id }, as: owner });
  return ((body?.data ?? []) as { action: string }[])
    .map(({ action }) => action)
    .filter((action) => action.startsWith("team_"));
};
const at = (days: number, seconds = 0) => new Date(now.getTime() + (days * 24 * 60 * 60 + seconds) * 1000);

describe("an invitation", () => {
  it("an invited person who accepts is in the team with the role, and the invitation is gone", async () => {
    const [community, person] = [await aCommunity(test.table), await aPerson()];
    const { status, body, headers } = await inviting(community, addressOf(person).toUpperCase());
    expect([status, headers.location]).toEqual([201, `/odis/v1/invitations/${String(body?.id)}`]);
    expect(body).toEqual({
      id: body?.id,
      email: addressOf(person).toUpperCase(),
      role: "support",
      invited_by: community.owner.id,
      created_at: now.toISOString(),
      expires_at: at(14).toISOString(),
    });
    expect(await invitationsOf(community)).toEqual([body]);
    const accepted = await accepting(body?.id, person);
    expect(accepted).toMatchObject({ status: 200, body: { user: { id: person.id }, role: "support" } });
    expect(await teamOf(community)).toEqual([accepted.body]);
    expect(await invitationsOf(community)).toEqual([]);
    expect((await actionsOf(community)).toSorted()).toEqual(["team_invited", "team_joined"]);
  });

  it("an invitation is in GET /me of the invited person only, and gone after it was declined", async () => {
    const [community, person, other] = [await aCommunity(test.table), await aPerson(), await aPerson()];
    const { body } = await inviting(community, addressOf(person), "viewer");
    const invitationsTo = async (as: As) => (await ask(showMe, { as })).body?.invitations;
    const { id, email, role, created_at, expires_at } = body ?? {};
    const shown = { id, email, role, created_at, expires_at, community: { id: community.id, name: "Mezcal Circle" } };
    expect(await invitationsTo(person)).toMatchObject([shown]);
    expect(await invitationsTo(other)).toEqual([]);
    expect((await ask(removeInvitation, { params: { id }, as: person })).status).toBe(204);
    expect([await invitationsTo(person), await invitationsOf(community)]).toEqual([[], []]);
    expect(await actionsOf(community)).toContain("team_invitation_declined");
  });

  it("GET /me has null instead of the invitations if the user pool cannot be reached", async () => {
    const fails = async () => Promise.reject(new Problem("unavailable"));
    const { status, body } = await ask(showMe, { as: await aPerson() }, { addressOf: fails });
    expect([status, body?.invitations]).toEqual([200, null]);
  });

  it.each(["a stranger", "a person without a verified address", "an admin", "the owner"])(
    "an invitation does not exist for %s who accepts it",
    async (who) => {
      const community = await aCommunity(test.table);
      const { id } = await anInvitation(test.table, community, given);
      const as = who === "an admin" ? admin : who === "the owner" ? community.owner : await aPerson();
      const over = who === "a person without a verified address" ? { addressOf: async () => undefined } : {};
      expect(await outcome(accepting(id, as, over))).toEqual(missing);
    },
  );

  it("the owner and admins revoke an invitation, and for others it does not exist", async () => {
    const community = await aCommunity(test.table);
    const other = await aCommunity(test.table);
    const teamMember = await aTeamMember(test.table, community, { ...given, role: "manager" });
    const [first, second] = [
      await anInvitation(test.table, community, given),
      await anInvitation(test.table, community, given),
    ];
    for (const as of [await aPerson(), other.owner, { id: teamMember.user_id }])
      expect(await outcome(ask(removeInvitation, { params: { id: first.id }, as }))).toEqual(missing);
    expect((await ask(removeInvitation, { params: { id: first.id }, as: community.owner })).status).toBe(204);
    expect((await ask(removeInvitation, { params: { id: second.id }, as: admin })).status).toBe(204);
    const revoked = (await actionsOf(community)).filter((action) => action === "team_invitation_revoked");
    expect(revoked).toHaveLength(2);
  });

  it("an invitation cannot be accepted after 14 days", async () => {
    const [community, person] = [await aCommunity(test.table), await aPerson()];
    const { id } = await anInvitation(test.table, community, { ...given, email: addressOf(person) });
    expect(await outcome(accepting(id, person, { now: () => at(14) }))).toEqual(missing);
    expect(await outcome(accepting(id, person, { now: () => at(14, -1) }))).toEqual([200, undefined]);
  });

  it("a second invitation of an address replaces the first, also once the first has expired", async () => {
    const [community, person] = [await aCommunity(test.table), await aPerson()];
    const first = await anInvitation(test.table, community, { ...given, email: addressOf(person) });
    const second = (await inviting(community, addressOf(person), "manager")).body;
    expect(await invitationsOf(community)).toEqual([second]);
    expect(await outcome(accepting(first.id, person))).toEqual(missing);
    const later = { now: () => at(20) };
    const body = { invitation: { email: addressOf(person), role: "viewer" } };
    const third = await ask(invite, { ...inCommunity(community), as: community.owner, body }, later);
    expect(third.status).toBe(201);
    expect(await outcome(accepting(second?.id, person, later))).toEqual(missing);
    expect(await outcome(accepting(third.body?.id, person, later))).toEqual([200, undefined]);
  });

  it("a second invitation of an address deletes those that a change of owner has ended", async () => {
    const [community, next] = [await aCommunity(test.table), await aPerson()];
    const first = await anInvitation(test.table, community, { ...given, email: "lea@example.com" });
    const other = await anInvitation(test.table, community, { ...given, email: "other@example.com" });
    await transfer(community, next.id);
    expect((await inviting(community, "LEA@example.com", "viewer", next)).status).toBe(201);
    const stored = (id: number) =>
      Promise.all([keys.invitation(community.id, id), keys.invitationParent(id)].map((key) => test.table.get(key)));
    expect(await stored(first.id)).toEqual([undefined, undefined]);
    expect(await stored(other.id)).not.toContain(undefined);
  });

  it("the owner and the people in the team cannot be invited, and nobody joins twice", async () => {
    const [community, person] = [await aCommunity(test.table), await aPerson()];
    const early = await anInvitation(test.table, community, given);
    const taken = [409, "already_in_team"];
    expect(await outcome(inviting(community, addressOf(community.owner)))).toEqual(taken);
    const { body } = await inviting(community, addressOf(person));
    await accepting(body?.id, person);
    expect(await outcome(inviting(community, addressOf(person)))).toEqual(taken);
    // The person has another address since.
    const renamed = { addressOf: async () => early.email };
    expect(await outcome(accepting(early.id, person, renamed))).toEqual(taken);
    expect(await outcome(accepting(early.id, community.owner, renamed))).toEqual(taken);
  });

  it("a community has at most 50 open invitations, and a replacement counts once", async () => {
    const community = await aCommunity(test.table);
    for (let n = 0; n < 50; n++)
      await anInvitation(test.table, community, { now: at(0, -n), email: `p${n}@example.com` });
    expect(await outcome(inviting(community, "p50@example.com"))).toEqual([422, "limit_reached"]);
    expect((await inviting(community, "P49@example.com")).status).toBe(201);
  });

  it("invitations that a change of owner has ended do not count against the limit of 50", async () => {
    const [community, next] = [await aCommunity(test.table), await aPerson()];
    for (let n = 0; n < 50; n++)
      await anInvitation(test.table, community, { now: at(0, -n), email: `p${n}@example.com` });
    await transfer(community, next.id);
    expect((await inviting(community, "p50@example.com", "viewer", next)).status).toBe(201);
  });

  it("the fifty-first person gets 422 when they accept", async () => {
    const [community, person] = [await aCommunity(test.table), await aPerson()];
    for (let n = 0; n < 50; n++) await aTeamMember(test.table, community, { now: at(0, -n) });
    const { id } = await anInvitation(test.table, community, { ...given, email: addressOf(person) });
    expect(await outcome(accepting(id, person))).toEqual([422, "limit_reached"]);
  });

  it.each([
    [{ email: "no address", role: "viewer" }, "/invitation/email"],
    [{ email: "a@example.com", role: "owner" }, "/invitation/role"],
    [{ email: "a@example.com" }, "/invitation/role"],
  ])("POST invitations refuses %j", async (invitation, pointer) => {
    const community = await aCommunity(test.table);
    const answer = await ask(invite, { ...inCommunity(community), as: community.owner, body: { invitation } });
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer }] } });
  });

  it("a retried acceptance with the same idempotency key gets the first response", async () => {
    const [community, person] = [await aCommunity(test.table), await aPerson()];
    const { id } = await anInvitation(test.table, community, { ...given, email: addressOf(person) });
    const call = { params: { id }, as: person, body: {}, headers: { "idempotency-key": "accept" } };
    const [first, second] = [await ask(accept, call), await ask(accept, call)];
    expect([second.status, second.headers["idempotency-replayed"], second.body]).toEqual([200, "true", first.body]);
  });

  it("the response to an acceptance is not repeated once the person was erased", async () => {
    const [community, person] = [await aCommunity(test.table), await aPerson()];
    const { id } = await anInvitation(test.table, community, { ...given, email: addressOf(person) });
    const call = { params: { id }, as: person, body: {}, headers: { "idempotency-key": "accept" } };
    expect((await ask(accept, call)).status).toBe(200);
    await mark(person);
    expect(await outcome(ask(accept, call))).toEqual([409, "person_erased"]);
  });
});

describe("a team", () => {
  it("the owner changes a role, which takes effect with the next request", async () => {
    const community = await aCommunity(test.table);
    const member = await aMember(test.table, community);
    const place = await aTeamMember(test.table, community, { ...given, role: "viewer" });
    const as = { id: place.user_id };
    const call = { params: { community_id: community.id, id: member.id }, as };
    expect(await outcome(ask(showMember, call))).toEqual(forbidden);
    const params = { community_id: community.id, user_id: as.id };
    const change = (role: string) => ask(update, { params, as: community.owner, body: { team_member: { role } } });
    expect(await change("support")).toMatchObject({ status: 200, body: { role: "support", user: { id: as.id } } });
    expect((await ask(showMember, call)).status).toBe(200);
    await change("support");
    expect((await actionsOf(community)).filter((action) => action === "team_role_changed")).toHaveLength(1);
  });

  it("a person in a team may remove themselves, and nobody else", async () => {
    const community = await aCommunity(test.table);
    const [one, other] = [
      await aTeamMember(test.table, community, given),
      await aTeamMember(test.table, community, given),
    ];
    const removing = (user_id: number, as: As) => ask(remove, { params: { community_id: community.id, user_id }, as });
    expect(await outcome(removing(other.user_id, { id: one.user_id }))).toEqual(forbidden);
    expect((await removing(one.user_id, { id: one.user_id })).status).toBe(204);
    expect(await outcome(removing(one.user_id, { id: one.user_id }))).toEqual(missing);
    expect((await removing(other.user_id, community.owner)).status).toBe(204);
    expect(await teamOf(community)).toEqual([]);
    expect((await ask(showMe, { as: { id: one.user_id } })).body?.teams).toEqual([]);
  });

  it("changing the role of a person who is not in the team is 404", async () => {
    const [community, person] = [await aCommunity(test.table), await aPerson()];
    const call = { params: { community_id: community.id, user_id: person.id }, as: community.owner };
    expect(await outcome(ask(update, { ...call, body: { team_member: { role: "viewer" } } }))).toEqual(missing);
    expect(await outcome(ask(remove, call))).toEqual(missing);
  });

  it("GET /me lists the teams of the caller with their roles, newest community first", async () => {
    const [first, second, person] = [await aCommunity(test.table), await aCommunity(test.table), await aPerson()];
    await aTeamMember(test.table, second, { ...given, role: "viewer", user: person });
    await aTeamMember(test.table, first, { ...given, role: "manager", user: person });
    const { body } = await ask(showMe, { as: person });
    const expected = [
      { role: "viewer", community: { id: second.id } },
      { role: "manager", community: { id: first.id } },
    ];
    expect(body).toMatchObject({
      teams: expected.toSorted((a, b) => b.community.id - a.community.id),
      teams_has_more: false,
      owned_communities: [],
    });
  });

  it("a change of owner ends the team and its invitations, also after a change back", async () => {
    const [community, person, invited] = [await aCommunity(test.table), await aPerson(), await aPerson()];
    await aTeamMember(test.table, community, { ...given, role: "manager", user: person });
    const { id } = await anInvitation(test.table, community, { ...given, email: addressOf(invited) });
    const next = (await aCommunity(test.table)).owner;
    const rename = () =>
      outcome(ask(updateCommunity, { params: { id: community.id }, as: person, body: { community: { name: "Rye" } } }));
    await transfer(community, next.id);
    const moved = { ...community, owner: next };
    expect([await rename(), await teamOf(moved), await invitationsOf(moved)]).toEqual([forbidden, [], []]);
    expect(await outcome(accepting(id, invited))).toEqual(missing);
    await transfer(community, community.owner.id);
    expect([await rename(), await teamOf(community), await invitationsOf(community)]).toEqual([forbidden, [], []]);
    expect((await ask(showMe, { as: person })).body?.teams).toEqual([]);
    expect((await ask(showMe, { as: invited })).body?.invitations).toEqual([]);
  });

  it("a place that a change of owner has ended does not exist for changes, not even those of its person", async () => {
    const [community, next] = [await aCommunity(test.table), await aPerson()];
    const { user_id } = await aTeamMember(test.table, community, given);
    await transfer(community, next.id);
    const params = { community_id: community.id, user_id };
    const body = { team_member: { role: "viewer" } };
    expect(await outcome(ask(update, { params, as: next, body }))).toEqual(missing);
    expect(await outcome(ask(remove, { params, as: next }))).toEqual(missing);
    expect(await outcome(ask(remove, { params, as: { id: user_id } }))).toEqual(missing);
  });

  it("a person whose place has ended can join again", async () => {
    const [community, person] = [await aCommunity(test.table), await aPerson()];
    await aTeamMember(test.table, community, { ...given, role: "manager", user: person });
    const next = (await aCommunity(test.table)).owner;
    await transfer(community, next.id);
    const moved = { ...community, owner: next };
    const { body } = await inviting(moved, addressOf(person), "viewer");
    expect(await accepting(body?.id, person)).toMatchObject({ status: 200, body: { role: "viewer" } });
    expect(await teamOf(moved)).toMatchObject([{ user: { id: person.id }, role: "viewer" }]);
  });

  it("whoever becomes the owner leaves the team", async () => {
    const [community, person] = [await aCommunity(test.table), await aPerson()];
    await aTeamMember(test.table, community, { ...given, user: person });
    await transfer(community, person.id);
    expect(await test.table.get(keys.teamMember(community.id, person.id))).toBeUndefined();
    expect(await test.table.get(keys.teamOf(person.id, community.id))).toBeUndefined();
  });

  it("a restore ends the team and its invitations", async () => {
    const [community, person] = [await aCommunity(test.table), await aPerson()];
    await aTeamMember(test.table, community, { ...given, user: person });
    await anInvitation(test.table, community, given);
    const restored = { epoch: 1 };
    const call = { ...inCommunity(community), as: community.owner };
    expect((await ask(list, call, restored)).body).toMatchObject({ total: 0, data: [] });
    expect((await ask(listInvitations, call, restored)).body).toMatchObject({ total: 0, data: [] });
  });

  it("a role does not cover the caller's own member record", async () => {
    const community = await aCommunity(test.table);
    const member = await aMember(test.table, community);
    await aTeamMember(test.table, community, { ...given, role: "manager", user: member.user });
    const other = await aMember(test.table, community);
    const call = (id: number) => ({ params: { community_id: community.id, id }, as: { id: member.user.id } });
    expect(await outcome(ask(showMember, call(member.id)))).toEqual(forbidden);
    expect((await ask(showMember, call(other.id))).status).toBe(200);
  });

  it("a person in a team has no right in it as soon as they are marked as erased", async () => {
    const [community, person] = [await aCommunity(test.table), await aPerson()];
    await aTeamMember(test.table, community, { ...given, role: "manager", user: person });
    const { id } = await aMember(test.table, community);
    const showing = () => ask(showMember, { params: { community_id: community.id, id }, as: person });
    expect((await showing()).status).toBe(200);
    await mark(person);
    expect(await outcome(showing())).toEqual(forbidden);
  });

  it("a manager cannot import themselves, also if the import is decided again after other imports", async () => {
    const community = await aCommunity(test.table);
    const { user_id } = await aTeamMember(test.table, community, { ...given, role: "manager" });
    const as = { id: user_id };
    const period = { current_period_start: "2026-11-01T00:00:00.000Z", current_period_end: "2099-01-01T00:00:00.000Z" };
    const importing = (...records: object[]) =>
      ask(importMembers, { ...inCommunity(community), as, body: { members: records } });
    const record = (email: string, over = {}) => ({
      user: { email },
      tier_id: community.tier.id,
      status: "active",
      created_at: period.current_period_start,
      ...period,
      ...over,
    });
    await importing(record("other@example.com"));
    // The first record meets another import of the same person as often as its import is tried again.
    let [meetings, isMeeting] = [0, false];
    test.client.middlewareStack.add(
      (next) => async (args) => {
        const isOfMember = JSON.stringify(args.input).includes("fingerprint");
        if (isOfMember && !isMeeting && meetings < 5) {
          isMeeting = true;
          await importing(record("other@example.com", { metadata: { n: meetings++ } }));
          isMeeting = false;
        }
        return next(args);
      },
      { step: "initialize", name: "meet" },
    );
    const both = await importing(record("other@example.com", { metadata: { n: "last" } }), record(addressOf(as)));
    test.client.middlewareStack.remove("meet");
    expect(meetings).toBe(5);
    const refused = { outcome: "refused", errors: [{ pointer: "/members/1/user", code: "not_allowed" }] };
    expect(both.body?.data).toMatchObject([{}, refused]);
  });

  it("only the owner and admins see the URLs of event destinations in the activity", async () => {
    const community = await aCommunity(test.table);
    await aDestination(test.table, community, { url: "https://receiver.example/secret" });
    const place = await aTeamMember(test.table, community, given);
    const read = async (as: As) => JSON.stringify((await ask(activity, { params: { id: community.id }, as })).body);
    expect(await read(community.owner)).toContain("receiver.example");
    const shown = await read({ id: place.user_id });
    expect(shown).toContain('"event_destination"');
    expect(shown).not.toContain("receiver.example");
  });
});

describe("races of teams", () => {
  it("of two acceptances of an invitation, one joins and the other gets 404", async () => {
    const [community, person] = [await aCommunity(test.table), await aPerson()];
    const { id } = await anInvitation(test.table, community, { ...given, email: addressOf(person) });
    const first = await beforeWrite(
      test.client,
      () => accepting(id, person),
      () => accepting(id, person),
    );
    expect([first.status, first.body?.code]).toEqual(missing);
    expect(await teamOf(community)).toHaveLength(1);
  });

  it("an invitation that is revoked while it is accepted is 404", async () => {
    const [community, person] = [await aCommunity(test.table), await aPerson()];
    const { id } = await anInvitation(test.table, community, { ...given, email: addressOf(person) });
    const revoke = () => ask(removeInvitation, { params: { id }, as: community.owner });
    expect(await outcome(beforeWrite(test.client, revoke, () => accepting(id, person)))).toEqual(missing);
    expect(await teamOf(community)).toEqual([]);
  });

  it("a community that is transferred while an invitation is accepted gets no team", async () => {
    const [community, person] = [await aCommunity(test.table), await aPerson()];
    const { id } = await anInvitation(test.table, community, { ...given, email: addressOf(person) });
    const next = (await aCommunity(test.table)).owner;
    const transferring = () => transfer(community, next.id);
    expect(await outcome(beforeWrite(test.client, transferring, () => accepting(id, person)))).toEqual(missing);
    expect(await teamOf({ ...community, owner: next })).toEqual([]);
  });

  it("of two people who accept for the fiftieth place, the later gets 422", async () => {
    const [community, one, other] = [await aCommunity(test.table), await aPerson(), await aPerson()];
    for (let n = 0; n < 49; n++) await aTeamMember(test.table, community, { now: at(0, -n) });
    const [first, second] = [
      await anInvitation(test.table, community, { ...given, email: addressOf(one) }),
      await anInvitation(test.table, community, { ...given, email: addressOf(other) }),
    ];
    const later = beforeWrite(
      test.client,
      () => accepting(second.id, other),
      () => accepting(first.id, one),
    );
    expect(await outcome(later)).toEqual([422, "limit_reached"]);
    expect((await ask(list, { ...inCommunity(community), as: community.owner })).body?.total).toBe(50);
  });

  it("of two invitations for the fiftieth place, the later gets 422", async () => {
    const community = await aCommunity(test.table);
    for (let n = 0; n < 49; n++)
      await anInvitation(test.table, community, { now: at(0, -n), email: `p${n}@example.com` });
    const later = beforeWrite(
      test.client,
      () => inviting(community, "first@example.com"),
      () => inviting(community, "second@example.com"),
    );
    expect(await outcome(later)).toEqual([422, "limit_reached"]);
  });

  it.each([
    ["removed", (params: Call["params"], as: As) => ask(remove, { params: params ?? {}, as })],
    [
      "given a lesser role",
      (params: Call["params"], as: As) =>
        ask(update, { params: params ?? {}, as, body: { team_member: { role: "viewer" } } }),
    ],
    [
      "removed and joins again with a lesser role",
      async (params: Call["params"], as: As) => {
        await ask(remove, { params: params ?? {}, as });
        const community = await communities.open(test.table, Number(params?.community_id));
        const again = {
          role: "viewer",
          user: { id: Number(params?.user_id) },
          now: new Date(now.getTime() + 60_000),
        } as const;
        await aTeamMember(test.table, community, again);
      },
    ],
  ])("a request of a manager who is %s before it writes is refused without an effect", async (_, meanwhile) => {
    const community = await aCommunity(test.table);
    const { user_id } = await aTeamMember(test.table, community, { ...given, role: "manager" });
    const rename = () =>
      ask(updateCommunity, { params: { id: community.id }, as: { id: user_id }, body: { community: { name: "Rye" } } });
    const losing = () => meanwhile({ community_id: community.id, user_id }, community.owner);
    expect(await outcome(beforeWrite(test.client, losing, rename))).toEqual(forbidden);
    expect((await communities.open(test.table, community.id)).name).toBe("Mezcal Circle");
  });

  it("a role that changes while it is changed is changed again", async () => {
    const community = await aCommunity(test.table);
    const { user_id } = await aTeamMember(test.table, community, given);
    const change = (role: string) =>
      ask(update, {
        params: { community_id: community.id, user_id },
        as: community.owner,
        body: { team_member: { role } },
      });
    const last = await beforeWrite(
      test.client,
      () => change("viewer"),
      () => change("manager"),
    );
    expect(last).toMatchObject({ status: 200, body: { role: "manager" } });
    expect((await actionsOf(community)).filter((action) => action === "team_role_changed")).toHaveLength(2);
  });

  it("an erased person cannot accept", async () => {
    const [community, person] = [await aCommunity(test.table), await aPerson()];
    const { id } = await anInvitation(test.table, community, { ...given, email: addressOf(person) });
    const asking = beforeWrite(
      test.client,
      () => mark(person),
      () => accepting(id, person),
    );
    expect(await outcome(asking)).toEqual([401, "invalid_token"]);
    expect(await teamOf(community)).toEqual([]);
  });
});
