import { type Kind, kindOf } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { handler as series } from "../../../functions/communities/series.ts";
import { handler as stats } from "../../../functions/communities/stats.ts";
import { admin, Scene } from "../actors/scene.ts";
import { itemFromWire } from "../table/native.ts";
import { communitiesOf, itemsOf, membersOf, ofKind } from "../world/records.ts";
import { shownCents, twelfthsOf } from "../world/twelfths.ts";
import type { World } from "../world/world.ts";

const day = 86_400_000;
const granting: readonly string[] = ["active", "trialing", "past_due"];
const isIn = (member: StoredMember | undefined): boolean =>
  member !== undefined && granting.includes(member.status) && !member.is_blocked;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

type Sums = Record<string, number>;
export type Movement = {
  readonly member_id: number;
  readonly at: string;
  readonly access: string | null;
  readonly monthly: { readonly before_cents: number; readonly after_cents: number; readonly kind: string } | null;
};

type Transition = { readonly at: number; readonly text: string };

/** The changes of access and of the monthly amount at each write of each member. */
function transitionsOf(world: World): Map<number, Transition[]> {
  const found = new Map<number, Transition[]>();
  const last = new Map<number, StoredMember>();
  const payers = new Set<number>();
  for (const { at, record } of world.changes) {
    const { Keys, NewImage } = record.dynamodb;
    const kind: Kind | undefined = kindOf({ pk: Keys.pk?.S ?? "", sk: Keys.sk?.S ?? "" });
    if (kind !== "member" || !NewImage) continue;
    const after = itemFromWire(NewImage, (list) => list) as unknown as StoredMember;
    const before = last.get(after.id);
    last.set(after.id, after);
    const access = isIn(before) === isIn(after) ? null : isIn(after) ? "begun" : "ended";
    const [from, to] = [before?.monthly_cents ?? 0, after.monthly_cents];
    const again = payers.has(after.id) ? "reactivated" : "new";
    if (to > 0) payers.add(after.id);
    const kindOfChange = from === 0 ? again : to === 0 ? "churned" : to > from ? "expansion" : "contraction";
    if (access === null && from === to) continue;
    const text = `${access} ${from === to ? null : `${from} ${to} ${kindOfChange}`}`;
    found.set(after.id, [...(found.get(after.id) ?? []), { at, text }]);
  }
  return found;
}

const textOf = ({ access, monthly: m }: Movement): string =>
  `${access} ${m && `${m.before_cents} ${m.after_cents} ${m.kind}`}`;

/**
 * Sorts independently of small time differences: because of clock skew, the later of two movements may have the earlier
 * time.
 */
const inOrder = (all: readonly Transition[]): Transition[] =>
  all.toSorted((a, b) => (a.text === b.text ? a.at - b.at : a.text < b.text ? -1 : 1));

/** Much longer than the clock skew and the duration of a call, in milliseconds. */
const tolerance = 20 * 60_000;

/**
 * Every change of access and of a monthly amount is recorded once. The daily sums are the sums of these movements and
 * of all payments.
 */
export function assertSeries(world: World): void {
  const movements = ofKind(world, "movement") as unknown as (Movement & { readonly pk: string })[];
  const wrong = (text: string) => world.violate("series", text);
  const transitions = transitionsOf(world);
  const recorded = Map.groupBy(movements, ({ member_id }) => member_id);
  for (const id of new Set([...transitions.keys(), ...recorded.keys()])) {
    if (world.unrecorded.has(id)) continue;
    const expected = inOrder(transitions.get(id) ?? []);
    const own = inOrder(
      (recorded.get(id) ?? []).map((movement) => ({ at: Date.parse(movement.at), text: textOf(movement) })),
    );
    const [texts, changed] = [own, expected].map((all) => all.map(({ text }) => text).join());
    if (texts !== changed) wrong(`member ${id} moved ${changed}, not ${texts}`);
    for (const [n, { at }] of own.entries())
      if (Math.abs(at - (expected[n]?.at ?? 0)) > tolerance) wrong(`member ${id} did not move at ${at}`);
  }
  for (const { id } of communitiesOf(world)) assertSums(world, id, movements);
}

function assertSums(world: World, id: number, movements: readonly (Movement & { readonly pk: string })[]): void {
  const pk = `COMMUNITY#${String(id).padStart(16, "0")}`;
  const naive = naiveSums(
    world,
    id,
    movements.filter((one) => one.pk === `${pk}#MEMBERS`),
  );
  const kept = new Map<string, Sums>();
  for (const { pk: partition, sk, ...sums } of itemsOf(world))
    if (partition === `${pk}#SERIES`) kept.set(sk.split("#")[1] ?? "", sums as Sums);
  for (const on of new Set([...naive.keys(), ...kept.keys()])) {
    const [a, b] = [sorted(kept.get(on)), sorted(naive.get(on))];
    if (a !== b) world.violate("series", `community ${id} has on ${on} ${a}, not ${b}`);
  }
}

const sorted = (sums: Sums = {}) =>
  JSON.stringify(
    Object.entries(sums)
      .map(([name, sum]) => [name, twelfthsOf(sum)] as const)
      .filter(([, sum]) => sum !== 0)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );

export function naiveSums(world: World, communityId: number, movements: readonly Movement[]): Map<string, Sums> {
  const all = new Map<string, Sums>();
  const add = (at: string, name: string, by: number) => {
    for (const on of [at.slice(0, 10), at.slice(0, 7)]) {
      const sums = all.get(on) ?? {};
      sums[name] = (sums[name] ?? 0) + by;
      all.set(on, sums);
    }
  };
  // Payments before the community existed do not count for it.
  const first =
    communitiesOf(world)
      .find(({ id }) => id === communityId)
      ?.created_at.slice(0, 10) ?? "";
  const addMoney = (at: string, name: string, cents: number) => void (at.slice(0, 10) >= first && add(at, name, cents));
  for (const { at, access, monthly } of movements) {
    if (access) add(at, access === "begun" ? "joined" : "left", 1);
    if (!monthly) continue;
    add(at, `${monthly.kind}_cents`, monthly.after_cents - monthly.before_cents);
    add(at, `${monthly.kind}_members`, 1);
  }
  // Data of an earlier version is not counted by day until the migration fills in the past.
  const members = membersOf(world).filter((one) => one.community_id === communityId && one.recorded_since);
  const partitions = new Set(members.map((member) => `MEMBER#${String(member.id).padStart(16, "0")}`));
  for (const payment of ofKind(world, "payment")) {
    if (!partitions.has(payment.pk)) continue;
    const { paid_at, created_at, charges, paid_off_stripe_cents } = payment as unknown as {
      readonly paid_at: string | null;
      readonly created_at: string;
      readonly charges: readonly { readonly created_at: string; readonly paid_cents: number }[];
      readonly paid_off_stripe_cents: number;
    };
    for (const charge of charges) addMoney(paid_at ?? charge.created_at, "paid_cents", charge.paid_cents);
    addMoney(paid_at ?? created_at, "paid_cents", paid_off_stripe_cents);
  }
  for (const { refunds, older_refunds_cents, disputed_cents_by_day } of members) {
    for (const { status, issued_at, amount_cents } of refunds)
      if (status !== "failed" && status !== "canceled") addMoney(issued_at, "refunded_cents", amount_cents);
    for (const [on, cents] of Object.entries(older_refunds_cents)) addMoney(on, "refunded_cents", cents);
    for (const [on, cents] of Object.entries(disputed_cents_by_day ?? {})) addMoney(on, "disputed_cents", cents);
  }
  return all;
}

export const parts = {
  members: { joined: 1, left: -1 },
  mrr: { new_cents: 1, reactivated_cents: 1, expansion_cents: 1, contraction_cents: 1, churned_cents: 1 },
  joined: { joined: 1 },
  left: { left: 1 },
  gross: { paid_cents: 1 },
  refunded: { refunded_cents: 1 },
  disputed: { disputed_cents: 1 },
} as const;

/** The routes return a naive count per day, and start plus movements equals the end, to the cent. */
export async function assertStatistics(world: World): Promise<void> {
  const movements = ofKind(world, "movement") as unknown as (Movement & { readonly pk: string })[];
  for (const { id } of communitiesOf(world).slice(0, 2)) {
    const scene = new Scene(world, `statistics ${id} at ${world.timeline.now}`);
    const call = { as: admin, params: { community_id: id } };
    const pk = `COMMUNITY#${String(id).padStart(16, "0")}#MEMBERS`;
    const own = movements.filter((one) => one.pk === pk);
    const naive = naiveSums(world, id, own);
    for (const [metric, weights] of Object.entries(parts)) {
      const interval = scene.chance.pick(["day", "week", "month"]) ?? "day";
      const from = dayOf(world.timeline.now - scene.chance.integer(0, 200) * day);
      const query = `metric=${metric}&interval=${interval}&from=${from}`;
      const { status, body } = await scene.send(series, { ...call, query });
      if (status !== 200) continue;
      const points = body.points as { readonly at: string; readonly value: number }[];
      for (const [n, { at, value }] of points.entries()) {
        const end = points[n + 1]?.at ?? "9999";
        const isTotal = metric === "members" || metric === "mrr";
        const days = [...naive.keys()].filter((on) => on.length === 10 && on < end && (isTotal || on >= at));
        const counted = days.reduce(
          (sum, on) =>
            Object.entries(weights).reduce((all, [name, sign]) => all + sign * (naive.get(on)?.[name] ?? 0), sum),
          0,
        );
        if (value !== shownCents(counted))
          world.violate("statistics", `community ${id}: ${query} at ${at} is ${value}, not ${counted}`);
      }
    }
    const { status, body } = await scene.send(stats, call);
    if (status === 200) assertMovements(world, id, body, own);
  }
}

type Moved = { readonly cents: number; readonly members: number };

export function assertMovements(
  world: World,
  id: number,
  body: Record<string, unknown>,
  own: readonly Movement[],
): void {
  const { start_cents, end_cents, ...kinds } = body.movements_30d as Record<string, Moved> & {
    readonly start_cents: never;
    readonly end_cents: never;
  };
  const since = dayOf(world.timeline.now - 29 * day);
  const wrong = (text: string) => world.violate("statistics", `community ${id}: ${text}`);
  const end = shownCents(own.reduce((sum, { monthly: m }) => sum + (m ? m.after_cents - m.before_cents : 0), 0));
  if (end !== end_cents || end !== body.monthly_recurring_revenue_cents)
    wrong(`the end is ${String(end_cents)}, not ${end}`);
  const all = Object.values(kinds).reduce((sum, { cents }) => sum + cents, 0);
  if (Number(start_cents) + all !== end) wrong(`start and movements are ${Number(start_cents) + all}, not ${end}`);
  const recent = own.filter(({ at }) => at.slice(0, 10) >= since);
  for (const [kind, { cents, members }] of Object.entries(kinds)) {
    const those = recent.flatMap(({ monthly }) => (monthly?.kind === kind ? [monthly] : []));
    const sum = shownCents(those.reduce((total, m) => total + m.after_cents - m.before_cents, 0));
    if (cents !== sum || members !== those.length)
      wrong(`${kind} is ${cents} of ${members}, not ${sum} of ${those.length}`);
  }
  const count = (movements: readonly Movement[], access: string) =>
    movements.filter((one) => one.access === access).length;
  const before = own.filter(({ at }) => at.slice(0, 10) < since);
  const atStart = count(before, "begun") - count(before, "ended");
  const rate = atStart === 0 ? null : Number((count(recent, "ended") / atStart).toFixed(4));
  const shown = body.churn_rate_30d as number | null;
  if ((shown === null) !== (rate === null) || Math.abs((shown ?? 0) - (rate ?? 0)) > 0.000_11)
    wrong(`the churn rate is ${shown}, not ${rate}`);
  const members = count(own, "begun") - count(own, "ended");
  if (members !== body.member_count) wrong(`${members} were let in, not ${String(body.member_count)}`);
}
