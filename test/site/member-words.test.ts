import { describe, expect, it } from "vitest";
import type { Activity, CommunityActivity, Member } from "../../client/schema.ts";
import { communityActivityText, memberActivityText } from "../../site/console/src/data/activity-words.ts";
import {
  badgeOf,
  cancellationText,
  failureText,
  isErased,
  standingOf,
} from "../../site/console/src/data/member-words.ts";

const member = {
  status: "past_due",
  is_blocked: false,
  cancel_at: "2026-12-03T09:30:00.000Z",
  current_period_end: "2026-12-03T09:30:00.000Z",
  user: { first_name: "Ana" },
} as Member;

describe("the words about a member in the console", () => {
  it("a member who is leaving with an overdue payment is shown as overdue, and Stripe may still try the payment", () => {
    expect(badgeOf(member).text).toBe("Payment overdue");
    expect(standingOf(member, false).text).toContain("Stripe may still try it");
  });

  it("an immediate cancellation says that the overdue payment is not tried again, and can still be paid", () => {
    expect(cancellationText(member, "immediately", false)).toContain(
      "Stripe no longer tries the overdue payment, but its invoice can still be paid.",
    );
    expect(cancellationText({ ...member, status: "active" }, "immediately", false)).not.toContain("overdue");
  });

  it("a member without a subscription in Stripe is never said to pay through Stripe", () => {
    for (const mode of ["immediately", "at_period_end"])
      expect(cancellationText(member, mode, true)).toContain("Nothing is charged or refunded.");
    for (const cancel_at of [null, member.cancel_at])
      expect(standingOf({ ...member, cancel_at }, true).text).toContain("Imported: pays outside of Stripe.");
  });

  it.each([
    ["", "erased", true],
    ["", "ana", false],
    ["erased@example.com", "erased", false],
  ])("a member with the address %j and the username %s was erased: %s", (email, username, expected) => {
    expect(isErased({ ...member, user: { ...member.user, email, username } })).toBe(expected);
  });

  it("Stripe's message to the holder of a card is put in words for the owner, and quoted if it is unknown", () => {
    expect(failureText("Your card has expired.")).toBe("The card has expired.");
    expect(failureText("Your bank says no.")).toBe("Stripe says: “Your bank says no.”");
  });
});

describe("the words about the activity of a member in the console", () => {
  it.each<[Activity["action"], Activity["before"], Activity["after"], string]>([
    ["joined", null, null, "Joined"],
    ["imported", null, null, "Imported from another system"],
    ["status_changed", { status: "past_due" }, { status: "active" }, "Status changed from payment overdue to active"],
    ["tier_changed", { tier_id: 11 }, { tier_id: 12 }, "Moved to another tier"],
    ["interval_changed", { interval: "month" }, { interval: "year" }, "Now pays by the year"],
    [
      "cancel_scheduled",
      null,
      { cancel_at: "2026-12-03T09:30:00.000Z" },
      "Subscription set to end on December 3, 2026",
    ],
    ["cancel_scheduled", null, { cancel_at_period_end: true }, "Subscription set to end"],
    ["uncanceled", null, { dropped_prices: [{}] }, "Cancellation withdrawn. A planned change of price was dropped"],
    ["canceled", null, { status: "canceled" }, "Subscription ended"],
    ["refunded", null, { amount_cents: 1250 }, "Refunded $12.50"],
    ["refunded", null, {}, "Refunded"],
    ["refund_changed", { status: "pending" }, { status: "failed" }, "Refund changed to failed"],
    ["blocked", null, { block_reason: "Spam" }, "Blocked: Spam"],
    ["blocked", null, null, "Blocked"],
    ["unblocked", { block_reason: "Spam" }, null, "Unblocked"],
    ["edited", null, { changed: ["shipping_address", "notes"] }, "Edited: shipping address, notes"],
    ["edited", null, null, "Edited: details"],
    ["erased", null, null, "Personal data erased"],
  ])("a change %s from %j to %j is shown as %s", (action, before, after, text) => {
    expect(memberActivityText({ action, before, after })).toBe(text);
  });
});

describe("the words about the activity of a community in the console", () => {
  it("a change of the monthly price names what else the request changed", () => {
    const edited = (after: CommunityActivity["after"]) =>
      communityActivityText({
        id: 1,
        at: "2026-12-03T09:30:00.000Z",
        request_id: "request",
        actor: { type: "user", id: 3, name: "Otto Owner" },
        action: "edited",
        record: { type: "tier", id: 11, name: "Reserva" },
        before: { monthly_price_dollars: 10 },
        after,
      });
    const price = { monthly_price_dollars: 12, stripe_price_id: "price_2" };
    expect(edited(price)).toBe("Changed the price of the tier “Reserva” from $10.00 to $12.00");
    expect(edited({ ...price, yearly_price_dollars: 120, badge: "R" })).toBe(
      "Changed the price of the tier “Reserva” from $10.00 to $12.00, and edited: yearly price, badge",
    );
  });
});
