import { beforeAll, expect, it, vi } from "vitest";
import { keys } from "#lib/store/keys.ts";
import * as members from "#lib/store/members/members.ts";
import { write } from "#lib/store/write.ts";
import { aCommunity, aMember, type GivenCommunity } from "../../support/given.ts";
import { Timeline } from "../timeline.ts";
import { functionsOn } from "./functions.ts";
import { hour, month } from "./objects.ts";
import { LimitedStripe, rateLimits } from "./stripe.ts";

const minute = 60_000;
const start = Date.UTC(2027, 0, 1);
const timeline = new Timeline(start);
const stripe = new LimitedStripe(() => timeline.now, rateLimits.live);
const functions = functionsOn(timeline, stripe, true);
const { table } = functions;

let community: GivenCommunity;
beforeAll(async () => {
  vi.stubEnv("THROTTLE", "on");
  process.env.CURSOR_KEY = "cursors are signed with this";
  community = await aCommunity(table);
});

/** Creates a member who renewed a number of seconds ago, without any delivered event. */
async function renewed(customer: string, secondsAgo: number) {
  const renewsAt = Math.floor(timeline.now / 1000) - secondsAgo;
  const member = await aMember(table, community, {
    stripe_customer_id: customer,
    stripe_subscription_id: `sub_${customer}`,
    current_period_start: new Date((renewsAt - month) * 1000).toISOString(),
    current_period_end: new Date(renewsAt * 1000).toISOString(),
  });
  // Without this entry, the schedule does not find the member by the end of their period.
  await write(table, [{ delete: keys.due(member.current_period_end, community.id, member.id) }]);
  const link = { customer_id: customer, community_id: community.id, member_id: member.id, user_id: member.user.id };
  await write(table, [{ put: { ...keys.customer(customer), ...link } }]);
  stripe.renewals.set(customer, { customer, member_id: member.id, tier_id: community.tier.id, renewsAt });
  return { member, renewsAt };
}

/** Adds two undelivered events of a renewal, an hour apart. */
function undelivered(customer: string, renewsAt: number): void {
  for (const [n, type] of (["customer.subscription.updated", "invoice.paid"] as const).entries()) {
    const created = renewsAt + n * hour;
    const id = `evt_${created}_${customer}_${n}`;
    const object = { id: `of_${customer}`, object: n === 0 ? "subscription" : "invoice", customer };
    stripe.undelivered.set(id, { id, object: "event", type, created, livemode: true, data: { object } });
  }
}

const isSynchronized = async (id: number, renewsAt: number): Promise<boolean> =>
  (await members.find(table, community.id, id))?.current_period_end ===
  new Date((renewsAt + month) * 1000).toISOString();

it("10,000 undelivered events are processed over several runs, each of which performs its other tasks first", async () => {
  const missed: { readonly id: number; readonly renewsAt: number }[] = [];
  for (let n = 0; n < 5000; n++) {
    const { member, renewsAt } = await renewed(`cus_${n}`, 2 * hour + n);
    undelivered(`cus_${n}`, renewsAt);
    missed.push({ id: member.id, renewsAt });
  }

  const left: number[] = [];
  for (let run = 1; left.at(-1) !== 0; run++) {
    const { member, renewsAt } = await renewed(`cus_due${run}`, 2 * hour);
    await write(table, [
      {
        put: {
          ...keys.due(member.current_period_end, community.id, member.id),
          kind: "member",
          community_id: community.id,
          member_id: member.id,
        },
      },
    ]);
    const report = await timeline.until(functions.reconcile());
    expect(report).toMatchObject({ failed: 0, unfinished: 0 });
    expect(await isSynchronized(member.id, renewsAt)).toBe(true);
    const done = await Promise.all(missed.map((one) => isSynchronized(one.id, one.renewsAt)));
    left.push(done.filter((isDone) => !isDone).length);
    await timeline.until(timeline.wait(15 * minute));
  }
  expect(left.length).toBeGreaterThan(1);
  expect(left).toEqual(left.toSorted((a, b) => b - a));
  // Each customer is read once for both events.
  const requests = [...stripe.requests.values()].reduce((sum, count) => sum + count, 0);
  expect(requests).toBeLessThan(3 * (5000 + left.length) + 300);
  expect(stripe.refused).toBe(0);
});

it("an event that arrives while older ones are being processed waits for at most one more run", async () => {
  for (let n = 0; n < 6000; n++) {
    const { renewsAt } = await renewed(`cus_b${n}`, 2 * hour + 100 + n);
    undelivered(`cus_b${n}`, renewsAt);
  }
  await timeline.until(functions.reconcile());
  const { member, renewsAt } = await renewed("cus_late", 2 * hour);
  undelivered("cus_late", renewsAt);
  let runs = 0;
  while (!(await isSynchronized(member.id, renewsAt))) {
    await timeline.until(timeline.wait(15 * minute));
    await timeline.until(functions.reconcile());
    runs++;
  }
  expect(runs).toBeLessThanOrEqual(2);
});
