import { expect, it } from "vitest";
import type { PersonalData } from "#lib/domain/personal-data.ts";
import { handler as exportData } from "../../../functions/users/data.ts";
import { erasing } from "../../../functions/users/erase.ts";
import { fromNow, skipWaits } from "../../support/clock.ts";
import { expectNothingOpen } from "../../support/money/checks.ts";
import { crashAt } from "../../support/money/faults.ts";
import { aMarkedPerson, itemsAt, markersIn, sumsOf } from "../../support/money/marked.ts";
import { keptOf } from "../../support/money/stripe.ts";
import { startMoney } from "../../support/money.ts";

skipWaits();
const money = startMoney();

it.each(["before", "after"] as const)(
  "an erasure that crashes %s any one of its calls is completed by a retry or by the schedule",
  async (moment) => {
    const places = [await money.aPricedCommunity()];
    for (let n = 1; ; n++) {
      const marked = await aMarkedPerson(money, places);
      const params = { id: marked.user.id };
      const exported = async () => (await money.call(exportData, { params })).body as PersonalData;
      const erase = () => money.call(erasing(money.outside), { params, body: { dry_run: false } });
      const before = sumsOf(await exported());
      const crash = crashAt(n, moment);
      const first = await money.withFault(crash.fault, erase);
      const isOver = crash.calls < n;
      if (isOver) expect(first).toMatchObject({ status: 200, body: { erased: true } });
      // An erasure that was not marked is not begun: nobody finishes it.
      const isMarked = (await exported()).profile?.erased_at !== null;
      if (n % 2 === 0 || !isMarked) expect({ n, ...(await erase()) }).toMatchObject({ n, status: 200 });
      else await money.reconcile(fromNow({ minutes: 10 }));

      const after = await exported();
      expect({ n, found: markersIn(marked, after), username: after.profile?.username }).toEqual({
        n,
        found: [],
        username: "erased",
      });
      expect(sumsOf(after)).toEqual(before);
      const later = await itemsAt(money, fromNow({ hours: 48 }));
      expect({ n, holding: later.filter((item) => markersIn(marked, item).length > 0) }).toEqual({ n, holding: [] });
      expect(money.deletedAccounts).toContain(marked.user.sub);
      expect(money.recorded).toContain(marked.user.id);
      if (isOver) break;
    }
  },
);

it.each(["before", "after"] as const)(
  "an erasure that cancels a subscription and crashes %s any one of its calls is completed by a retry without a refund",
  async (moment) => {
    const community = await money.aPricedCommunity();
    for (let n = 1; ; n++) {
      const member = await money.aSubscriber(community);
      const body = { dry_run: false, cancel_subscriptions: true };
      const erase = () => money.call(erasing(money.outside), { params: { id: member.user.id }, body });
      const crash = crashAt(n, moment);
      const first = await money.withFault(crash.fault, erase);
      const isOver = crash.calls < n;
      if (isOver) expect(first.status).toBe(200);
      else if (n % 2 === 0) await money.reconcile(fromNow({ minutes: 10 }));
      expect({ n, ...(await erase()) }).toMatchObject({ n, status: 200, body: { erased: true } });
      expect({ n, all: (await money.subscriptionsOf(member.stripe_customer_id)).map(({ status }) => status) }).toEqual({
        n,
        all: ["canceled"],
      });
      expect(keptOf(await money.chargesOf(member.stripe_customer_id))).toBe(2500);
      await expectNothingOpen(money.table, member);
      if (isOver) break;
    }
  },
);
