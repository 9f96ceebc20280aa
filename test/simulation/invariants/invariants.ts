import type { World } from "../world/world.ts";
import { assertAccess } from "./access.ts";
import { assertAcknowledged, assertNeverUndone } from "./acknowledged.ts";
import { assertActivity, assertImportEntries } from "./activity.ts";
import { assertApiKeys } from "./api-keys.ts";
import { assertAudit } from "./audit.ts";
import { assertChosenCards } from "./cards.ts";
import { assertBilledOnce, assertCharges, assertDropped, assertScheduled } from "./charges.ts";
import { assertDelivered, assertDeliveries, assertReceivers } from "./deliveries.ts";
import { assertDestinations, assertDisabled, assertFormerOwners, assertPings } from "./destinations.ts";
import { assertEffects, assertNothingLeft } from "./effects.ts";
import { assertErased, assertMarkedAreHidden } from "./erasures.ts";
import { assertEventList } from "./event-list.ts";
import { assertEvents } from "./events.ts";
import { assertFold } from "./fold.ts";
import { assertInvoices } from "./invoices.ts";
import { assertLastWord } from "./last-word.ts";
import { assertLists } from "./lists.ts";
import {
  assertAsAtStripe,
  assertNobodyJoinsArchived,
  assertProductNames,
  assertRefunds,
  assertRejections,
} from "./money.ts";
import { assertMovementsListed } from "./movements.ts";
import { assertPast } from "./past.ts";
import { assertPreconditions } from "./preconditions.ts";
import { assertProfiles } from "./profiles.ts";
import { assertDirectory, assertProjections } from "./projections.ts";
import { assertRateLimits } from "./rate-limits.ts";
import { assertMigrated, assertNothingToRebuild } from "./rebuild.ts";
import { assertCancelable, assertEndings, assertRefused, assertRefusedUnrecorded } from "./refused.ts";
import { assertAccessThen, assertRights } from "./rights.ts";
import { assertSeries, assertStatistics } from "./series.ts";
import { assertErasedStayOut, assertTakeOvers } from "./sign-ins.ts";
import { assertStructure } from "./structure.ts";
import { assertTeams } from "./teams.ts";

const always = {
  refunds: assertRefunds,
  charges: assertCharges,
  billedOnce: assertBilledOnce,
  scheduled: assertScheduled,
  dropped: assertDropped,
  acknowledged: assertAcknowledged,
  neverUndone: assertNeverUndone,
  refused: assertRefused,
  refusedUnrecorded: assertRefusedUnrecorded,
  cancelable: assertCancelable,
  endings: assertEndings,
  effects: assertEffects,
  structure: assertStructure,
  projections: assertProjections,
  series: assertSeries,
  statistics: assertStatistics,
  past: assertPast,
  movements: assertMovementsListed,
  rebuild: assertNothingToRebuild,
  migrated: assertMigrated,
  directory: assertDirectory,
  audit: assertAudit,
  activity: assertActivity,
  imports: assertImportEntries,
  events: assertEvents,
  destinations: assertDestinations,
  disabled: assertDisabled,
  formerOwners: assertFormerOwners,
  pings: assertPings,
  preconditions: assertPreconditions,
  rights: assertRights,
  accessThen: assertAccessThen,
  rateLimits: assertRateLimits,
  fold: assertFold,
  lists: assertLists,
  delivered: assertDelivered,
  erasedPeople: assertErasedStayOut,
  markedPeople: assertMarkedAreHidden,
  takeOvers: assertTakeOvers,
  teams: assertTeams,
  apiKeys: assertApiKeys,
};

const inTheEnd = {
  ...always,
  asAtStripe: assertAsAtStripe,
  chosenCards: assertChosenCards,
  invoices: assertInvoices,
  lastWord: assertLastWord,
  productNames: assertProductNames,
  rejections: assertRejections,
  archived: assertNobodyJoinsArchived,
  access: assertAccess,
  profiles: assertProfiles,
  leftovers: assertNothingLeft,
  eventList: assertEventList,
  deliveries: assertDeliveries,
  receivers: assertReceivers,
  erasures: assertErased,
};

/** Invariants that hold whenever the system is idle. */
export const meanwhile = (world: World): Promise<void> =>
  check(world, { series: assertSeries, past: assertPast, rebuild: assertNothingToRebuild });

/** Invariants that hold as soon as the system is idle at the end of a history. */
export const atOnce = (world: World): Promise<void> => check(world, always);

/** Invariants that hold once all retries, refunds and late requests are complete. */
export const afterwards = (world: World): Promise<void> => check(world, inTheEnd);

async function check(world: World, invariants: Readonly<Record<string, (world: World) => unknown>>): Promise<void> {
  const { checks } = world.figures;
  world.journal.isSilent = true;
  for (const [name, assertIt] of Object.entries(invariants)) {
    await assertIt(world);
    checks.set(name, (checks.get(name) ?? 0) + 1);
  }
  world.journal.isSilent = false;
}
