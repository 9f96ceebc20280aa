import { paidByDay } from "#lib/billing/payments.ts";
import { isMember } from "#lib/domain/access.ts";
import { movementBetween, type Recorded } from "#lib/domain/movement.ts";
import type { StoredMovement } from "#lib/domain/movement-list.ts";
import type { StoredPayment } from "#lib/store/facts.ts";
import { Conflict } from "#lib/store/failure.ts";
import { type Key, keys, prefixOf } from "#lib/store/keys.ts";
import { keyOf, type StoredMember } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import { itemsOf } from "#lib/store/members/movements.ts";
import { ledgerOf } from "#lib/store/operations.ts";
import { queryAll } from "#lib/store/query-all.ts";
import type { Write, Writer } from "#lib/store/table.ts";
import { write } from "#lib/store/write.ts";
import { toTwelfth } from "#lib/values/twelfths.ts";

const day = 86_400_000;
const monthDays = 365 / 12;

/** A member's access and monthly amount from a time on. */
type State = { readonly at: string; readonly access: boolean; readonly cents: number };

/** The known history of a member: the invoices, and access and amount when recording began. */
type History = {
  readonly member: StoredMember;
  readonly payments: readonly StoredPayment[];
  readonly access: boolean;
  readonly cents: number;
  /** When the community was created. Earlier history begins with it. */
  readonly since: string;
  /** When the recording of movements began. */
  readonly until: string;
};

const timeOf = ({ paid_at, created_at }: StoredPayment): string => paid_at ?? created_at;
const after = (at: string, days: number): string => new Date(Date.parse(at) + days * day).toISOString();

/** The monthly amount of an invoice in cents and twelfths of a cent, exact for whole months and weeks. */
function perMonth(cents: number, days: number): number {
  if (days < 20)
    return toTwelfth((cents * (days < 5 ? 365 / 12 : 52 / 12)) / Math.max(1, Math.round(days < 5 ? days : days / 7)));
  return toTwelfth(cents / Math.round(days / monthDays));
}

const latest = (a: string, b: string): string => (a > b ? a : b);
const earliest = (a: string, b: string): string => (a < b ? a : b);

/** Derives the states of one subscription from its invoices and its end. */
function statesOf(invoices: readonly StoredPayment[], { member }: History): State[] {
  const times = invoices.map(timeOf);
  const daysBetween = (from = "", to = "") => (Date.parse(to) - Date.parse(from)) / day;
  const days = times.map((at, n) => {
    const next = daysBetween(at, times[n + 1]) || daysBetween(times[n - 1], at);
    const { period_start, period_end } = invoices[n] as StoredPayment;
    return next >= 1 ? next : daysBetween(period_start, period_end) || monthDays;
  });
  const states = invoices.map((invoice, n): State => {
    return { at: timeOf(invoice), access: true, cents: perMonth(invoice.amount_paid_cents, days[n] ?? monthDays) };
  });
  const isShown = invoices[0]?.subscription_id === member.stripe_subscription_id;
  const paidUntil = after(times.at(-1) ?? "", days.at(-1) ?? monthDays);
  const end = (isShown ? member.ended_at : null) ?? paidUntil;
  return [...states, { at: latest(end, times.at(-1) ?? ""), access: false, cents: 0 }];
}

/**
 * Derives a member's movements before the recording from paid invoices (`docs/decisions/045-movements-are-items.md`).
 */
export function pastOf(history: History): StoredMovement[] {
  const { member, payments, access, cents, until } = history;
  const movements = (states: readonly State[]) => movementsOf(states, history);
  const paid = payments
    .filter(({ status }) => status === "paid")
    .toSorted((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1))
    .filter((payment) => timeOf(payment) < until);
  const stretches = [...Map.groupBy(paid, ({ subscription_id }) => subscription_id).values()];
  const states = stretches.flatMap((invoices, n) => {
    const own = statesOf(invoices, history);
    const next = stretches[n + 1]?.[0];
    // A person who subscribes again before the end keeps access all the time.
    return next && (own.at(-1)?.at ?? "") >= timeOf(next) ? own.slice(0, -1) : own;
  });
  if (!access && cents === 0) {
    const end = states.reduce((last, state) => latest(last, state.at), "");
    return movements([...states, ...(end === "" ? [] : [{ at: end, access, cents }])]);
  }
  // For a running subscription, the last invoice has the current amount.
  const isPaid = stretches.at(-1)?.[0]?.subscription_id === member.stripe_subscription_id;
  const begun = states.length > 0 ? member.current_period_start : (member.first_granted_at ?? member.created_at);
  const at = (isPaid ? states.at(-2)?.at : undefined) ?? begun;
  const before = states.slice(0, isPaid ? -2 : undefined).filter((state) => state.at <= at);
  const wasIn = access || isPaid;
  const blocked = { at: latest(member.blocked_at ?? until, at), access, cents };
  return movements([...before, { at, access: wasIn, cents }, ...(wasIn && !access ? [blocked] : [])]);
}

function movementsOf(states: readonly State[], { member, since, until }: History): StoredMovement[] {
  const movements: StoredMovement[] = [];
  let was: Recorded | undefined;
  const sorted = states.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const byTime = new Map(sorted.map((state) => [earliest(until, latest(since, state.at)), state]));
  for (const [at, state] of byTime) {
    const first_paying_at = was?.first_paying_at ?? (state.cents > 0 ? at : undefined);
    const is = {
      status: state.access ? "active" : "canceled",
      is_blocked: false,
      monthly_cents: state.cents,
      first_paying_at,
    } as const;
    const movement = movementBetween(was, is);
    if (movement) movements.push({ member_id: member.id, at, ...movement });
    was = is;
  }
  return movements;
}

/** Maximum number of writes per transaction. Even, so that both items of a movement are in the same one. */
const mostWrites = 80;

/**
 * Writes the past movements of a member who was stored before movements existed, and the time when recording began.
 * Idempotent.
 *
 * @returns whether there was anything to write
 */
export async function backfill(
  table: Writer,
  communityId: number,
  memberId: number,
  isDryRun: boolean,
): Promise<boolean> {
  for (let tried = 1; ; tried++) {
    const member = await members.find(table, communityId, memberId);
    if (!member || member.recorded_since !== undefined) return false;
    if (isDryRun) return true;
    const writes = await writesOf(table, member);
    try {
      for (let n = 0; n < writes.length; n += mostWrites) await write(table, writes.slice(n, n + mostWrites));
      return true;
    } catch (error) {
      if (!(error instanceof Conflict) || tried === 5) throw error;
    }
  }
}

async function writesOf(table: Writer, member: StoredMember): Promise<Write[]> {
  const { pk, sk } = keys.movement(member.community_id, member.id, "", 0);
  const prefix = sk.slice(0, sk.indexOf("#", prefixOf("movement").sk.length) + 1);
  const [recorded, { payments }, community] = await Promise.all([
    queryAll(table, { pk, prefix }),
    ledgerOf(table, member.id),
    table.get(keys.community(member.community_id)),
  ]);
  // Excludes movements of an interrupted run.
  const own = (recorded as unknown as (StoredMovement & Key)[]).filter((movement) => !movement.sk.endsWith("#0"));
  const begun =
    own.filter((movement) => movement.access === "begun").length -
    own.filter((movement) => movement.access === "ended").length;
  const moved = own.reduce((sum, { monthly }) => sum + (monthly ? monthly.after_cents - monthly.before_cents : 0), 0);
  const past = pastOf({
    member,
    payments,
    access: Number(isMember(member)) - begun > 0,
    cents: Math.max(0, toTwelfth(member.monthly_cents - moved)),
    since: typeof community?.created_at === "string" ? community.created_at : "",
    until: own[0]?.at ?? member.updated_at,
  });
  const version = member.version + 1;
  const { imported } = member;
  const first = past.find(({ monthly }) => monthly !== null)?.at ?? member.first_paying_at;
  return [
    ...past.flatMap((movement) => itemsOf(member.community_id, movement, 0)).map((put): Write => ({ put })),
    {
      update: keyOf(member),
      set: {
        version,
        recorded_since: table.runtime.now().toISOString(),
        paid_cents_by_day: payments.length > 0 ? paidByDay(payments) : member.paid_cents_by_day,
        ...(first !== undefined && { first_paying_at: first }),
        // The write must not look like a change by people, so that a repeated import may still replace the record.
        ...(imported?.version === member.version && { imported: { ...imported, version } }),
      },
      when: { is: { version: member.version, sync_version: member.sync_version } },
    },
  ];
}
