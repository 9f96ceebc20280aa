import * as v from "valibot";
import { expect, it } from "vitest";
import { type Figures, noFigures } from "#lib/domain/figures.ts";
import { type Sums, sumNames } from "#lib/domain/series.ts";
import { Stats, statsOf } from "#lib/domain/stats.ts";
import type { TierFields } from "#lib/domain/tier.ts";

const now = new Date("2026-11-21T12:00:00.000Z");
const today = "2026-11-21";
const tiers = [{ id: 11, name: "Barrel" }] as TierFields[];

it("while the record of an earlier change is set aside, no number of members and no rate is below 0", () => {
  const figures: Figures = {
    ...noFigures,
    members: { "active/11/open": -1, "active/11/blocked": -1, "canceled/11/open": -2 },
    joined: { [today]: -1 },
    left: { [today]: -2 },
  };
  const sums: Sums = Object.fromEntries(sumNames.map((name) => [name, -3]));
  const stats = statsOf({ figures, days: [sums], month: [sums] }, tiers, now);
  expect(v.safeParse(Stats, stats).issues).toBeUndefined();
  expect(stats).toMatchObject({ total: 0, member_count: 0, blocked: 0, joined_in_30_days: 0, left_in_30_days: 0 });
});

it("the money received is that of the month, and the money lost in disputes is that of 30 days", () => {
  const sums = { figures: noFigures, days: [{ paid_cents: 1, disputed_cents: 20 }], month: [{ paid_cents: 300 }] };
  expect(statsOf({ ...sums, month: [...sums.month, { disputed_cents: 4000 }] }, tiers, now)).toMatchObject({
    received_this_month_cents: 300,
    disputed_in_30_days_cents: 20,
  });
});
