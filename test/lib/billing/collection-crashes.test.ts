import { expect, it } from "vitest";
import type { StoredMember } from "#lib/store/members/item.ts";
import { handler as cancelSubscription } from "../../../functions/members/cancel-subscription.ts";
import { skipWaits } from "../../support/clock.ts";
import { expectNothingOpen } from "../../support/money/checks.ts";
import { aDebt } from "../../support/money/debt.ts";
import { crashAt } from "../../support/money/faults.ts";
import { forMember, withKey } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

skipWaits();
const money = startMoney();

const community = setUp(() => money.aPricedCommunity());

const now = (minutes = 0) => new Date(1000 * money.standIn.act((account) => account.now()) + minutes * 60_000);

/** Cancels immediately, at the time of Stripe's clock, which has been moved. */
const endNow = (member: StoredMember, key: string) =>
  money.call(
    cancelSubscription,
    { ...forMember(member), ...withKey(key), body: { mode: "immediately" } },
    money.platform({ now }),
  );

it.each(["before", "after"] as const)(
  "other invoices of the customer are collected as before if an immediate cancellation crashes %s any one of its calls, and is completed by a retry, an event or the schedule",
  async (moment) => {
    for (let n = 1; ; n++) {
      const member = await money.aSubscriber(community);
      const debt = await aDebt(money, member);
      const crash = crashAt(n, moment);
      await money.withFault(crash.fault, () => endNow(member, `crash-${moment}-${n}`));
      if (n % 3 === 1) await money.deliverAll();
      if (n % 3 === 2) expect(await endNow(member, `crash-${moment}-${n}`)).toMatchObject({ status: 200 });
      await money.reconcile(now(10));
      const { status, auto_advance } = await money.stripe.invoices.retrieve(debt);
      expect({ n, status, auto_advance }).toEqual({ n, status: "open", auto_advance: true });
      await expectNothingOpen(money.table, member);
      if (crash.calls < n) break;
    }
  },
);
