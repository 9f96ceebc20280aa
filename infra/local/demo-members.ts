import type { MemberStatus, RefundEntry, ShippingAddress } from "#lib/domain/member.ts";
import { newId } from "#lib/ids.ts";
import type { StoredMember } from "#lib/store/member-item.ts";

const day = 86_400_000;

/** What is special about a demo member; the rest pay for the tier month by month. */
type Kind = {
  readonly tier: number;
  readonly status?: MemberStatus;
  readonly inTrial?: boolean;
  readonly isLeaving?: boolean;
  readonly blocked?: string;
  readonly refunded?: number;
  readonly address?: ShippingAddress;
};

const home: ShippingAddress = {
  name: "Mina Member",
  line1: "Calle Reforma 12",
  line2: "",
  city: "Oaxaca de Juárez",
  state: "OAX",
  postal_code: "68000",
  country: "MX",
};

/** The first of them is the member whose token is printed. */
export const kinds: readonly Kind[] = [
  { tier: 12, address: home },
  { tier: 12, status: "trialing", inTrial: true },
  { tier: 11, status: "past_due" },
  { tier: 11, status: "unpaid" },
  { tier: 13, status: "canceled" },
  { tier: 11, status: "incomplete" },
  { tier: 11, blocked: "Resold member bottles" },
  { tier: 13, refunded: 4_500, address: { ...home, name: "Ana Peña" } },
  { tier: 11, isLeaving: true },
  ...Array.from({ length: 55 }, (_, n) => ({ tier: 11 + (n % 3) })),
];

const firstNames = ["Ana", "Bruno", "Chloé", "Dilan", "Emre", "Fiona", "Giulia", "Håkon"];
const lastNames = ["Peña", "Quist", "Rossi", "Šimić", "Thorsen", "Ulloa", "Vance", "Weiß"];

/** The n-th demo member of the community; each joined about five days after the one before. */
export function demoMember(
  n: number,
  kind: Kind,
  price: number,
  now: Date,
  person?: StoredMember["user"],
): StoredMember {
  const joined = new Date(now.getTime() - (390 - n * 5) * day);
  const months = Math.max(1, Math.floor((now.getTime() - joined.getTime()) / (30 * day)));
  const at = (days: number) => new Date(joined.getTime() + days * day).toISOString();
  const { status = "active", inTrial, isLeaving, blocked, refunded = 0 } = kind;
  const isEnded = status === "canceled";
  const paid = inTrial || status === "incomplete" ? 0 : months * price;
  const periodEnd = at(months * 30);
  const refunds: RefundEntry[] = refunded > 0 ? [refundOf(n, refunded, at(31))] : [];

  return {
    id: newId(joined),
    community_id: 1,
    tier_id: kind.tier,
    user: person ?? personOf(n),
    status,
    current_period_start: at((months - 1) * 30),
    current_period_end: periodEnd,
    cancel_at_period_end: isLeaving ?? false,
    cancel_at: isLeaving ? periodEnd : null,
    trial_start: inTrial ? at(0) : null,
    trial_end: inTrial ? at(14) : null,
    canceled_at: isEnded || isLeaving ? at(months * 30 - 10) : null,
    ended_at: isEnded ? at(months * 30 - 10) : null,
    shipping_address: kind.address ?? null,
    is_blocked: blocked !== undefined,
    blocked_at: blocked === undefined ? null : at(40),
    blocked_by: blocked === undefined ? null : 3,
    block_reason: blocked ?? null,
    total_refunded_cents: refunded,
    lifetime_spend_cents: paid - refunded,
    refunds,
    notes: "",
    custom: {},
    stripe_customer_id: null,
    stripe_subscription_id: null,
    first_granted_at: null,
    sync_version: 0,
    version: 1,
    created_at: at(0),
    updated_at: at(0),
  };
}

function personOf(n: number): StoredMember["user"] {
  const first_name = firstNames[n % firstNames.length] ?? "";
  const last_name = lastNames[Math.floor(n / firstNames.length) % lastNames.length] ?? "";
  const username = `${first_name}.${last_name}`
    .normalize("NFKD")
    .replace(/[^\w.]/g, "")
    .toLowerCase();
  return { id: 100 + n, username, email: `${username}@example.com`, first_name, last_name };
}

const refundOf = (n: number, amount_cents: number, issued_at: string): RefundEntry => ({
  refund_id: `re_demo${n}`,
  charge_id: `ch_demo${n}`,
  amount_cents,
  reason: "requested_by_customer",
  status: "succeeded",
  note: "The bottle arrived broken",
  issued_at,
  issued_by: 3,
});
