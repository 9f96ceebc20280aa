import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StoredPayment } from "#lib/store/facts.ts";
import { toTwelfth } from "#lib/values/twelfths.ts";
import { pastOf } from "../../../tools/scripts/backfill.ts";
import { memberOf } from "../../support/given.ts";

const ever = "2020-01-01T00:00:00.000Z";
const until = "2026-11-01T00:00:00.000Z";
const at = (day: string) => `${day}T00:00:00.000Z`;
const paid = (day: string, amount_paid_cents: number, subscription_id = "sub_1") =>
  ({
    status: "paid",
    paid_at: at(day),
    created_at: at(day),
    period_start: at(day),
    period_end: at(day),
    amount_paid_cents,
    subscription_id,
  }) as StoredPayment;
const member = (over: object = {}) =>
  memberOf({ id: 1, owner: { id: 1 }, tier: { id: 2 } } as never, { stripe_subscription_id: "sub_1", ...over });

const told = (known: Parameters<typeof pastOf>[0]) =>
  pastOf(known).map(({ at: on, access, monthly }) => [
    on.slice(0, 10),
    access,
    monthly && monthly.kind,
    monthly && monthly.after_cents,
  ]);

describe("the past of a member", () => {
  it("the past of a member who pays monthly includes the price increase", () => {
    const payments = [paid("2026-07-01", 2_500), paid("2026-08-01", 2_500), paid("2026-09-01", 3_000)];
    expect(told({ member: member(), payments, access: true, cents: 3_000, since: ever, until })).toEqual([
      ["2026-07-01", "begun", "new", 2_500],
      ["2026-09-01", null, "expansion", 3_000],
    ]);
  });

  it("the past of a member who paid yearly and left ends when the subscription ended", () => {
    const payments = [paid("2024-01-01", 12_000), paid("2025-01-01", 12_000)];
    const left = member({ status: "canceled", ended_at: at("2026-01-01") });
    expect(told({ member: left, payments, access: false, cents: 0, since: ever, until })).toEqual([
      ["2024-01-01", "begun", "new", 1_000],
      ["2026-01-01", "ended", "churned", 0],
    ]);
  });

  it("the monthly amount of a member who pays yearly has no rounding that a later payment corrects", () => {
    const payments = [paid("2024-10-01", 10_000), paid("2025-10-01", 10_000), paid("2026-10-01", 10_000)];
    const cents = 10_000 / 12;
    expect(told({ member: member(), payments, access: true, cents, since: ever, until })).toEqual([
      ["2024-10-01", "begun", "new", cents],
    ]);
  });

  it("the past of a member who left, came back and was blocked has all these movements", () => {
    const payments = [paid("2026-01-01", 900), paid("2026-02-01", 900), paid("2026-06-01", 900, "sub_2")];
    const blocked = member({ is_blocked: true, blocked_at: at("2026-06-20"), stripe_subscription_id: "sub_2" });
    expect(told({ member: blocked, payments, access: false, cents: 900, since: ever, until })).toEqual([
      ["2026-01-01", "begun", "new", 900],
      ["2026-03-04", "ended", "churned", 0],
      ["2026-06-01", "begun", "reactivated", 900],
      ["2026-06-20", "ended", null, null],
    ]);
  });

  it("the past of a member without invoices has their current amount since they joined", () => {
    const given = { member: member({ first_granted_at: at("2026-05-05") }), payments: [], since: ever, until };
    expect(told({ ...given, access: true, cents: 700 })).toEqual([["2026-05-05", "begun", "new", 700]]);
    expect(told({ ...given, access: false, cents: 0 })).toEqual([]);
  });

  it("the past of a member who paid before the community existed begins with the community", () => {
    const payments = [paid("2026-01-01", 900), paid("2026-02-01", 1_200), paid("2026-03-01", 1_500)];
    const given = { member: member({ created_at: at("2025-06-01") }), access: true, cents: 1_500, until };
    const since = at("2026-02-05");
    expect(told({ ...given, payments, since })).toEqual([
      ["2026-02-05", "begun", "new", 1_200],
      ["2026-03-01", null, "expansion", 1_500],
    ]);
    expect(told({ ...given, payments: [], since })).toEqual([["2026-02-05", "begun", "new", 1_500]]);
  });

  it("the past of a member with any invoices is in order and ends with their current state", () => {
    const Day = fc.integer({ min: 1, max: 330 }).map((n) => new Date(Date.UTC(2026, 0, n)).toISOString().slice(0, 10));
    const Payments = fc.array(fc.tuple(Day, fc.nat(9_000), fc.constantFrom("sub_1", "sub_2")), { maxLength: 8 });
    const Maybe = fc.option(Day.map(at), { nil: null });
    fc.assert(
      fc.property(
        Payments,
        Maybe,
        Maybe,
        Maybe,
        fc.boolean(),
        fc.nat(1),
        (given, ended_at, blocked_at, born, access, n) => {
          const payments = given.map((one) => paid(...one));
          const [since, cents] = [born !== null && born < until ? born : ever, n * 500];
          const past = pastOf({ member: member({ ended_at, blocked_at }), payments, access, cents, since, until });
          const begun = past.filter((one) => one.access === "begun").length;
          expect(begun - past.filter((one) => one.access === "ended").length).toBe(access ? 1 : 0);
          const moved = past.reduce((sum, { monthly: m }) => sum + (m ? m.after_cents - m.before_cents : 0), 0);
          expect(toTwelfth(moved)).toBe(cents);
          const times = past.map((one) => one.at);
          expect(times).toEqual([...new Set(times)].toSorted());
          for (const time of times) expect(time >= since && time <= until).toBe(true);
        },
      ),
    );
  });
});
