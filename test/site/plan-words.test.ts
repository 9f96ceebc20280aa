import { expect, it } from "vitest";
import { OdisProblem, type OwnChangeAnswer, type Tier } from "../../client/odis.ts";
import { inWords, madeText, newPlanText, previewText } from "../../site/club/src/plan-words.ts";

const tier = (name: string, dollars: number, over: Partial<Tier> = {}) =>
  ({ name, monthly_price_dollars: dollars, requires_shipping_address: false, ...over }) as Tier;
const reserva = tier("Reserva", 25);
const friend = tier("Friend", 10);
const guest = tier("Guest", 0);

type Change = Partial<OwnChangeAnswer> & {
  readonly from?: Tier;
  /** The price that the member pays, in cents. By default that of the tier. */
  readonly own?: number;
  /** The tier that is scheduled for the end of the period. */
  readonly scheduled?: Tier;
  readonly isTrialing?: boolean;
};
type Plan = { readonly to: Tier; readonly interval?: "month" | "year" };

const scheduledChange = ({ id, name, monthly_price_dollars: dollars }: Tier) => ({
  tier: { id, name },
  interval: "month" as const,
  price_cents: 100 * dollars,
  at: "2026-12-03T12:00:00.000Z",
});

/** A preview for a member of a tier by the month, with the next payment on 3 December. */
const textOf = (
  { from = friend, own, scheduled, isTrialing = false, ...preview }: Change,
  { to, interval = "month" }: Plan,
): string =>
  previewText(
    {
      status: "preview",
      when: "now",
      charged_now_cents: 0,
      credited_cents: 0,
      next_charge_cents: 2500,
      next_charge_at: "2026-12-03T12:00:00.000Z",
      preview_id: "id",
      url: null,
      expires_at: null,
      membership: {
        tier: from,
        interval: "month",
        status: isTrialing ? "trialing" : "active",
        price_cents: own ?? 100 * (scheduled ?? from).monthly_price_dollars,
        scheduled_change: scheduled ? scheduledChange(scheduled) : null,
      },
      ...preview,
    },
    { tier: to, interval },
  );

it.each<[string, string, Change, Plan]>([
  [
    "a change that costs more names the difference",
    "You pay $13.85 now: the difference for the rest of the month. From December 3, 2026: $25.00 a month.",
    { charged_now_cents: 1385, credited_cents: 923 },
    { to: reserva },
  ],
  [
    "a change to a year names its price and what is left of the month",
    "You pay $92.31 now: $100.00 for a year, less $7.69 for the rest of this month. From December 3, 2026: $100.00 a year.",
    { charged_now_cents: 9231, credited_cents: 769, next_charge_cents: 10_000 },
    { to: friend, interval: "year" },
  ],
  [
    "a year that is charged with tax, or less credit, does not name a price that does not add up",
    "You pay $112.31 now for a year. $7.69 for the rest of this month is already subtracted. From December 3, 2026: $100.00 a year.",
    { charged_now_cents: 11_231, credited_cents: 769, next_charge_cents: 10_000 },
    { to: friend, interval: "year" },
  ],
  [
    "a change that credit covers charges nothing",
    "Nothing is charged now, because your credit covers the change. From December 3, 2026: $10.00 a year.",
    { credited_cents: 9000, next_charge_cents: 1000 },
    { to: reserva, interval: "year" },
  ],
  [
    "a change from a free tier names the first period",
    "You pay $25.00 now, for the first month. From December 3, 2026: $25.00 a month.",
    { from: guest, charged_now_cents: 2500 },
    { to: reserva },
  ],
  [
    "a change of a member who joined while their tier was free names the first period",
    "You pay $25.00 now, for the first month. From December 3, 2026: $25.00 a month.",
    { own: 0, charged_now_cents: 2500 },
    { to: reserva },
  ],
  [
    "a change of a member who pays for a tier that became free names the difference",
    "You pay $13.85 now: the difference for the rest of the month. From December 3, 2026: $25.00 a month.",
    { from: guest, own: 1000, charged_now_cents: 1385, credited_cents: 923 },
    { to: reserva },
  ],
  [
    "a change of a member who pays and has scheduled a free tier names the difference",
    "You pay $13.85 now: the difference for the rest of the month. From December 3, 2026: $25.00 a month.",
    { scheduled: guest, charged_now_cents: 1385, credited_cents: 923 },
    { to: reserva },
  ],
  [
    "a change of a member of a free tier who has scheduled a paid one names the first period",
    "You pay $25.00 now, for the first month. From December 3, 2026: $25.00 a month.",
    { from: guest, scheduled: friend, charged_now_cents: 2500 },
    { to: reserva },
  ],
  [
    "a change to the same amount charges nothing",
    "Nothing is charged now. From December 3, 2026: $10.00 a month.",
    { next_charge_cents: 1000 },
    { to: tier("Copa", 10) },
  ],
  [
    "a change from a free tier to another charges nothing",
    "Nothing is charged now. From December 3, 2026: free.",
    { from: guest, next_charge_cents: 0 },
    { to: tier("Visitor", 0) },
  ],
  [
    "a change to a smaller tier begins with the next period",
    "Nothing is charged now. From December 3, 2026 your plan is Copita, for $5.00 a month. Until then you keep what you have.",
    { when: "at_period_end", next_charge_cents: 500 },
    { to: tier("Copita", 5) },
  ],
  [
    "a change to a free tier begins with the next period",
    "Nothing is charged now. From December 3, 2026 your plan is Guest, which is free. Until then you keep what you have.",
    { when: "at_period_end", next_charge_cents: 0 },
    { to: guest },
  ],
  [
    "a change during a trial keeps the trial",
    "Nothing is charged now, and you keep your free trial. From December 3, 2026: $25.00 a month.",
    { isTrialing: true },
    { to: reserva },
  ],
  [
    "a change to a tier that ships asks for the address",
    "Nothing is charged now. From December 3, 2026: $25.00 a month. This plan ships to you: check your address under “Card and address” in your account.",
    {},
    { to: tier("Barrel", 25, { requires_shipping_address: true }) },
  ],
])("%s", (_, text, change, plan) => {
  expect(textOf(change, plan)).toBe(text);
});

it("a new plan is named with its interval, if it is paid", () => {
  expect(newPlanText({ tier: friend, interval: "year" })).toBe("Your plan is now Friend, by the year.");
  expect(newPlanText({ tier: guest, interval: "month" })).toBe("Your plan is now Guest.");
});

it("a member is told of the plan that they have, and of a scheduled one only if they have chosen it for later", () => {
  const offerOf = (each: Tier, id: number) => ({ tier: { ...each, id }, interval: "month" as const });
  const offers = [offerOf(friend, 1), offerOf(reserva, 2), offerOf(guest, 3)];
  const scheduled_change = scheduledChange({ ...reserva, id: 2 });
  const membership = { ...offerOf(friend, 1), scheduled_change };
  const textsOf = (isLater: boolean) => offers.map((offer) => madeText(membership, offer, isLater));
  expect(textsOf(true)).toEqual([
    "Your plan is now Friend, by the month.",
    "Your plan changes on December 3, 2026.",
    undefined,
  ]);
  expect(textsOf(false)).toEqual(["Your plan is now Friend, by the month.", undefined, undefined]);
});

it("a refusal that a member can do something about has a text for members, and others have the one of the API", () => {
  const refusal = new OdisProblem(409, { code: "too_many_changes", detail: "More than five" });
  expect(inWords(refusal)).toEqual(new Error("You have changed your plan five times in a day. Try again tomorrow."));
  const other = new OdisProblem(409, { code: "member_blocked" });
  expect(inWords(other)).toBe(other);
  const failure = new TypeError("Failed to fetch");
  expect(inWords(failure)).toBe(failure);
});
