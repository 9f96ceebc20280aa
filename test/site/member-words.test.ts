import { describe, expect, it } from "vitest";
import type { CommunityActivity, Member } from "../../client/schema.ts";
import { communityActivityText } from "../../site/console/src/data/activity-words.ts";
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
