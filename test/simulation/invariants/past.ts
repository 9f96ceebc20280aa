import type { StoredMember } from "#lib/store/members/item.ts";
import { handler as series } from "../../../functions/communities/series.ts";
import { handler as stats } from "../../../functions/communities/stats.ts";
import { admin } from "../actors/scene.ts";
import { communitiesOf, membersOf, ofKind, type ShownCommunity } from "../world/records.ts";
import { requestOutside } from "../world/requests.ts";
import { shownCents, twelfthsOf } from "../world/twelfths.ts";
import type { World } from "../world/world.ts";
import { assertMovements, type Movement, naiveSums, parts } from "./series.ts";

const day = 86_400_000;
const granting: readonly string[] = ["active", "trialing", "past_due"];
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

const mondayOf = (on: string): string => {
  let at = Date.parse(on);
  while (new Date(at).getUTCDay() !== 1) at -= day;
  return dayOf(at);
};

const startOf = { day: (on: string) => on, week: mondayOf, month: (on: string) => `${on.slice(0, 7)}-01` } as const;
type Interval = keyof typeof startOf;
type Metric = keyof typeof parts;

/**
 * Metrics whose past values may change, because payments, refunds and disputes count on their own days, however late they are read.
 */
const mayChange: readonly Metric[] = ["gross", "refunded", "disputed"];

/** A day may get movements shortly after its end, because clocks differ and writes take time. In milliseconds. */
const settling = 20 * 60_000;

/**
 * Each series of each community equals a naive count per day, from before the community existed until today. Values of
 * past days are the same as when they were last read. No time passes during the check.
 */
export async function assertPast(world: World): Promise<void> {
  const movements = ofKind(world, "movement") as unknown as (Movement & { readonly pk: string })[];
  for (const community of communitiesOf(world)) {
    const pk = `COMMUNITY#${String(community.id).padStart(16, "0")}#MEMBERS`;
    const own = movements.filter((one) => one.pk === pk);
    const { status, body } = await requestOutside(world, stats, callFor(community));
    if (status === 200) assertMovements(world, community.id, body, own);
    else world.violate("past", `the figures of community ${community.id} are answered ${status}`);
    const days = daysOf(world, naiveSums(world, community.id, own));
    for (const interval of ["day", "week", "month"] as const)
      for (const metric of Object.keys(parts) as Metric[])
        await assertPoints(world, community, { metric, interval, days });
    assertNow(world, community, days);
  }
}

const callFor = ({ id }: ShownCommunity) => ({ as: admin, params: { community_id: id } });

type Day = { readonly on: string; readonly values: Readonly<Record<Metric, number>> };

/** The values of each day, beginning before the community existed. */
function daysOf(world: World, sums: ReturnType<typeof naiveSums>): Day[] {
  const days: Day[] = [];
  const total = { members: 0, mrr: 0 };
  for (let at = Date.parse(dayOf(world.startedAt - 16 * day)); at <= world.timeline.now; at += day) {
    const on = dayOf(at);
    const valueOf = (metric: Metric) =>
      Object.entries(parts[metric]).reduce((sum, [name, sign]) => sum + sign * (sums.get(on)?.[name] ?? 0), 0);
    total.members += valueOf("members");
    total.mrr += valueOf("mrr");
    const [joined, left, gross, refunded] = [valueOf("joined"), valueOf("left"), valueOf("gross"), valueOf("refunded")];
    const disputed = valueOf("disputed");
    days.push({ on, values: { ...total, joined, left, gross, refunded, disputed } });
  }
  return days;
}

type Wanted = { readonly metric: Metric; readonly interval: Interval; readonly days: readonly Day[] };

async function assertPoints(
  world: World,
  community: ShownCommunity,
  { metric, interval, days }: Wanted,
): Promise<void> {
  const isValue = metric === "members" || metric === "mrr";
  const shown = days.slice(-390);
  const from = shown[0]?.on ?? "";
  const name = `${metric} by ${interval} of community ${community.id}`;
  const query = `metric=${metric}&interval=${interval}&from=${from}`;
  const { status, body } = await requestOutside(world, series, { ...callFor(community), query });
  if (status !== 200) return world.violate("past", `${name} is answered ${status}: ${JSON.stringify(body)}`);
  const first = startOf[interval](from);
  const expected = new Map<string, number>();
  for (const { on, values } of days) {
    const start = startOf[interval](on);
    if (start >= first) expected.set(start, shownCents(values[metric]) + (isValue ? 0 : (expected.get(start) ?? 0)));
  }
  const points = body.points as readonly { readonly at: string; readonly value: number }[];
  const text = (all: Iterable<readonly [string, number]>) => [...all].map(([at, value]) => `${at} ${value}`);
  const [told, counted] = [text(points.map(({ at, value }) => [at, value] as const)), text(expected)];
  if (told.join() !== counted.join()) {
    const wrong = told.findIndex((one, n) => one !== counted[n]);
    world.violate("past", `${name} is ${told[wrong]}, not ${counted[wrong]}`);
  }
  for (const [n, { at, value }] of points.entries()) {
    if (isBeforeIt(community, points[n + 1]?.at) && value !== 0)
      world.violate("past", `${name} is ${value} at ${at}, before the community existed`);
    if (mayChange.includes(metric) || Date.parse(points[n + 1]?.at ?? "9999") > world.timeline.now - settling) continue;
    const before = world.past.get(`${name} ${at}`);
    world.past.set(`${name} ${at}`, value);
    if (before !== undefined && before !== value)
      world.violate("past", `${name} was ${before} at ${at}, and is ${value}`);
  }
}

const isBeforeIt = ({ created_at }: ShownCommunity, end = "9999"): boolean => end <= created_at.slice(0, 10);

const isIn = ({ status, is_blocked }: StoredMember): boolean => granting.includes(status) && !is_blocked;

/** The sum of all movements equals the current state of the members. */
function assertNow(world: World, { id }: ShownCommunity, days: readonly Day[]): void {
  const members = membersOf(world).filter(({ community_id }) => community_id === id);
  const { members: count, mrr } = days.at(-1)?.values ?? { members: 0, mrr: 0 };
  const [had, paid] = [members.filter(isIn).length, members.reduce((sum, one) => sum + one.monthly_cents, 0)];
  if (count !== had || twelfthsOf(mrr) !== twelfthsOf(paid))
    world.violate(
      "past",
      `the movements of community ${id} come to ${count} and ${mrr}, its members to ${had} and ${paid}`,
    );
}
