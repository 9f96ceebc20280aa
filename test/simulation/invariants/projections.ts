import type { StoredMember } from "#lib/store/members/item.ts";
import { Scene } from "../actors/scene.ts";
import { communitiesOf, itemsOf, membersOf } from "../world/records.ts";
import { twelfthsOf } from "../world/twelfths.ts";
import type { World } from "../world/world.ts";

const granting: readonly string[] = ["active", "trialing", "past_due"];
const isIn = ({ status, is_blocked }: StoredMember): boolean => granting.includes(status) && !is_blocked;

const day = 86_400_000;

/** The statistics counted from the stream equal a count over all members. */
export function assertProjections(world: World): void {
  const items = itemsOf(world);
  for (const [communityId, members] of Map.groupBy(membersOf(world), (one) => one.community_id)) {
    const pk = `COMMUNITY#${String(communityId).padStart(16, "0")}`;
    const stats = items.find((one) => one.pk === pk && one.sk === "STATS");
    const differ = (what: string, kept: unknown, counted: unknown) => {
      if (JSON.stringify(kept) !== JSON.stringify(counted))
        world.violate(
          "projections",
          `community ${communityId} has ${what} ${JSON.stringify(kept)}, not ${JSON.stringify(counted)}`,
        );
    };
    differ("members", sorted(stats?.members), sorted(countBy(members, cellOf)));
    differ("joiners", stats?.joiners, members.filter(({ first_granted_at }) => first_granted_at !== null).length);
    const monthly = members.reduce((sum, { monthly_cents }) => sum + monthly_cents, 0);
    differ("a monthly revenue", twelfthsOf(Number(stats?.monthly_cents ?? 0)), twelfthsOf(monthly));
    const since = new Date(world.timeline.now - 25 * day).toISOString().slice(0, 10);
    const recent = (days: object | undefined) => sorted(days, (on) => on > since);
    differ("refunds", recent(stats?.refunded_cents as object), recent(refundedOn(members)));
  }
}

const cellOf = ({ status, tier_id, is_blocked }: StoredMember) =>
  `${status}/${tier_id}/${is_blocked ? "blocked" : "open"}`;

const countBy = <T>(all: readonly T[], of: (one: T) => string): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(all, of)].map(([name, those]) => [name, those.length]));

const sorted = (counts: unknown = {}, isWanted = (_name: string) => true) =>
  Object.entries(counts as object)
    .filter(([name]) => isWanted(name))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));

function refundedOn(members: readonly StoredMember[]): Record<string, number> {
  const sums: Record<string, number> = {};
  const refunds = members.flatMap((member) => member.refunds);
  for (const { status, issued_at, amount_cents } of refunds) {
    if (status === "failed" || status === "canceled") continue;
    const on = issued_at.slice(0, 10);
    sums[on] = (sums[on] ?? 0) + amount_cents;
  }
  for (const { older_refunds_cents } of members)
    for (const [on, cents] of Object.entries(older_refunds_cents)) sums[on] = (sums[on] ?? 0) + cents;
  return sums;
}

type Listing = { readonly id: string; readonly name: string; readonly slug: string; readonly member_count: number };

/**
 * In every environment, with or without a cache, discovery returns the communities whose names contain the search text.
 */
export async function assertDirectory(world: World): Promise<void> {
  const members = membersOf(world);
  const listed = communitiesOf(world)
    .filter(({ status }) => status === "active")
    .map(({ id, uuid, name, slug }): Listing => {
      const count = members.filter((one) => one.community_id === id && isIn(one)).length;
      return { id: uuid, name, slug, member_count: count };
    });
  for (const query of ["", "s1", "y 3"]) {
    const expected = listed
      .filter(({ name }) => name.toLowerCase().includes(query))
      .map(shown)
      .toSorted();
    for (const place of world.environments.keys()) {
      const found = await searched(world, place, query);
      const isSame = found && found.map(shown).toSorted().join() === expected.join();
      if (!isSame)
        world.violate(
          "directory",
          `environment ${place} finds ${JSON.stringify(found?.map(shown).toSorted())} for "${query}", not ${JSON.stringify(expected)}`,
        );
      else assertOrder(world, found);
    }
  }
}

const shown = ({ id, name, slug, member_count }: Listing): string =>
  `${id.slice(0, 8)} ${name} ${slug} ${member_count}`;

function assertOrder(world: World, found: readonly Listing[]): void {
  for (const [n, one] of found.entries()) {
    const next = found[n + 1];
    if (!next || one.member_count > next.member_count) continue;
    const isBefore = one.name.toLowerCase() <= next.name.toLowerCase();
    if (one.member_count < next.member_count || !isBefore) world.violate("directory", "discovery is out of order");
  }
}

/** Reads all pages of a search. Undefined if a page cannot be read. */
async function searched(world: World, place: number, query: string): Promise<Listing[] | undefined> {
  const scene = new Scene(world, `directory ${place} at ${world.timeline.now} ${query}`);
  const found: Listing[] = [];
  for (let page = 1; ; page++) {
    const { status, body } = await scene.sendTo(place, "explore", { query: `query=${query}&per=3&page=${page}` });
    if (status !== 200) return undefined;
    found.push(...(body.data as Listing[]));
    if (body.has_more !== true) return body.total === found.length ? found : undefined;
  }
}
