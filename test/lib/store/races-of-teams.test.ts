import { randomUUID } from "node:crypto";
import { newApiKey } from "#lib/auth/api-key.ts";
import { machine } from "#lib/runtime.ts";
import type { UserActor } from "#lib/store/activity.ts";
import * as apiKeys from "#lib/store/api-keys.ts";
import * as communities from "#lib/store/communities.ts";
import * as invitations from "#lib/store/invitations.ts";
import { keys } from "#lib/store/keys.ts";
import type { Writer } from "#lib/store/table.ts";
import * as team from "#lib/store/team.ts";
import { findPlace } from "#lib/store/team-places.ts";
import { write } from "#lib/store/write.ts";
import { startTable } from "../../support/direct.ts";
import { aCommunity, addressOf, anApiKey, anInvitation, aTeamMember, givenBy } from "../../support/given.ts";
import { itLoses, type LostRace, repeating, twice, whileSetIn } from "./races.ts";

const test = startTable();
const by = givenBy();

const community = async () => communities.open(test.table, (await aCommunity(test.table)).id);

const whileSet = whileSetIn(test);

const newKey = (id: number) => {
  const { key: _, ...stored } = newApiKey(id, machine);
  return { name: "Warehouse", role: "viewer" as const, id, ...stored };
};

const inviting = (parent: communities.StoredCommunity, table: Writer) => () =>
  invitations.add(table, parent, [], { email: `${randomUUID()}@example.com`, role: "viewer" }, by);

/** An invited person, who has no place in the team unless they had one before a change of owner. */
async function joining({ hadPlace = false } = {}) {
  const given = await aCommunity(test.table);
  const { owner } = await aCommunity(test.table);
  const id = hadPlace ? (await aTeamMember(test.table, given)).user_id : owner.id;
  if (hadPlace) {
    const before = await communities.open(test.table, given.id);
    await communities.update(test.table, before, { owner_id: owner.id }, by);
  }
  const invitation = await anInvitation(test.table, given, { email: addressOf({ id }) });
  const parent = await communities.open(test.table, given.id);
  const earlier = await findPlace(test.table, given.id, id);
  const person: UserActor = { ...by, id };
  return {
    key: keys.teamMember(given.id, id),
    parent,
    work: () => team.join(test.table, { community: parent, invitation, team: [], earlier }, person),
  };
}

async function place() {
  const stored = await aTeamMember(test.table, await aCommunity(test.table));
  return { stored, key: keys.teamMember(stored.community_id, stored.user_id) };
}

const races: readonly LostRace[] = [
  [
    "an API key whose id another community takes meanwhile",
    async () => {
      const [parent, other] = [await community(), await community()];
      const add = (to: communities.StoredCommunity) => () => apiKeys.add(test.table, to, [], newKey(parent.id), by);
      return { work: add(parent), meanwhile: add(other) };
    },
  ],
  ...(
    [
      ["another is added", { api_keys_added: 99 }],
      ["the community gets another owner", { ownership: 99 }],
    ] as const
  ).map(
    ([what, attributes]): LostRace => [
      `adding an API key while ${what}`,
      async () => {
        const parent = await community();
        const work = () => apiKeys.add(test.table, parent, [], newKey(parent.id), by);
        return whileSet(work, keys.community(parent.id), attributes);
      },
    ],
  ),
  [
    "revoking an API key that is revoked meanwhile",
    async () => {
      const key = await anApiKey(test.table, await aCommunity(test.table));
      return twice(() => apiKeys.remove(test.table, key, by));
    },
  ],
  [
    "an invitation whose id another community takes meanwhile",
    async () => {
      const [parent, other] = [await community(), await community()];
      return { work: inviting(parent, repeating(test)), meanwhile: inviting(other, repeating(test)) };
    },
  ],
  ...(
    [
      ["the team changes", { team_changes: 99 }],
      ["the community gets another owner", { ownership: 99 }],
    ] as const
  ).map(
    ([what, attributes]): LostRace => [
      `an invitation while ${what}`,
      async () => {
        const parent = await community();
        return whileSet(inviting(parent, test.table), keys.community(parent.id), attributes);
      },
    ],
  ),
  [
    "declining an invitation that is revoked meanwhile",
    async () => {
      const invitation = await anInvitation(test.table, await aCommunity(test.table));
      return {
        work: () => invitations.remove(test.table, invitation, "team_invitation_declined", by),
        meanwhile: () => invitations.remove(test.table, invitation, "team_invitation_revoked", by),
      };
    },
  ],
  ...(
    [
      ["the team changes", { team_changes: 99 }],
      ["the owner changes back and forth", { ownership: 99 }],
      ["the person becomes the owner", { owner_id: 99 }],
    ] as const
  ).map(
    ([what, attributes]): LostRace => [
      `joining a team while ${what}`,
      async () => {
        const { work, parent } = await joining();
        return whileSet(work, keys.community(parent.id), attributes);
      },
    ],
  ),
  [
    "joining a team in which the person gets a place meanwhile",
    async () => {
      const { work, key } = await joining();
      return { work, meanwhile: () => write(test.table, [{ put: { ...key, version: 1 }, when: "absent" }]) };
    },
  ],
  [
    "joining a team again while the former place changes",
    async () => {
      const { work, key } = await joining({ hadPlace: true });
      return whileSet(work, key, { version: 99 });
    },
  ],
  [
    "a new role of a person whose role changes meanwhile",
    async () => {
      const { stored, key } = await place();
      return whileSet(() => team.update(test.table, stored, { role: "viewer" }, by), key, { version: 99 });
    },
  ],
  [
    "removing a person whose role changes meanwhile",
    async () => {
      const { stored, key } = await place();
      return whileSet(() => team.remove(test.table, stored, by), key, { version: 99 });
    },
  ],
];
itLoses(test, races);
