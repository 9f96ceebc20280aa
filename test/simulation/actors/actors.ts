import { accountHolders } from "./account-holders.ts";
import type { Repertoire } from "./act.ts";
import { dataSubjects } from "./data-subjects.ts";
import { ownersOfDestinations } from "./destinations.ts";
import { readersOfEvents } from "./event-readers.ts";
import { importers } from "./imports.ts";
import { members } from "./members.ts";
import { operators } from "./operators.ts";
import { ownersOfCommunities } from "./owners-communities.ts";
import { ownersOfMembers } from "./owners-members.ts";
import { servers } from "./servers.ts";
import { admins, editors } from "./staff.ts";
import { strangers } from "./strangers.ts";
import { portalUsers, support } from "./stripe-people.ts";
import { subscribers } from "./subscribers.ts";
import { teams } from "./teams.ts";

/** All actors. */
export const actors = {
  members,
  ownersOfMembers,
  ownersOfCommunities,
  ownersOfDestinations,
  readersOfEvents,
  admins,
  editors,
  support,
  portalUsers,
  importers,
  operators,
  dataSubjects,
  accountHolders,
  strangers,
  subscribers,
  teams,
  servers,
} as const satisfies Record<string, Repertoire>;

export type ActorName = keyof typeof actors;
