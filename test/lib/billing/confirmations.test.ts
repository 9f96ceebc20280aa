import { expect, it } from "vitest";
import { linkOf } from "#lib/billing/operations.ts";
import { performTask } from "#lib/billing/reconcile-tasks.ts";
import type { Billing } from "#lib/billing/stripe.ts";
import { syncMember } from "#lib/billing/sync.ts";
import { copyAgain } from "#lib/store/due.ts";
import { keys } from "#lib/store/keys.ts";
import { confirm, confirmationOf } from "#lib/store/members/confirmation.ts";
import { edit } from "#lib/store/members/editable.ts";
import { itemOf, keyOf, type StoredMember } from "#lib/store/members/item.ts";
import { update } from "#lib/store/members/members.ts";
import { write } from "#lib/store/write.ts";
import { beforeWrite } from "../../support/before-write.ts";
import { anAddress, givenBy } from "../../support/given.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();
const community = setUp(() => money.aPricedCommunity());

const context = () => ({
  table: money.table,
  billing: money.platform().billing?.(() => 20_000) as Billing,
  now: new Date(),
});
const sync = (member: StoredMember) => syncMember(context(), linkOf(member));
const cancelAtStripe = ({ stripe_subscription_id }: StoredMember, cancel_at_period_end: boolean) =>
  money.stripe.subscriptions.update(stripe_subscription_id ?? "", { cancel_at_period_end });
const itemNow = (member: StoredMember) => money.table.get(keyOf(member));
const confirmedNow = (member: StoredMember) => confirmationOf(money.table, member);

/** A member whose latest synchronization has found no difference. */
async function aConfirmed(): Promise<StoredMember> {
  const member = await money.aSubscriber(community);
  await sync(member);
  return money.memberNow(member);
}

it("a synchronization without a difference writes nothing but a count in the membership", async () => {
  const member = await aConfirmed();
  const { confirmations = 0 } = await confirmedNow(member);
  const before = await itemNow(member);
  expect(await sync(member)).toEqual(member);
  expect(await itemNow(member)).toEqual(before);
  expect(await confirmedNow(member)).toEqual({
    confirmed_version: member.sync_version,
    confirmations: confirmations + 1,
  });
});

it("a synchronization that read Stripe before another one found no difference reads Stripe again", async () => {
  const member = await aConfirmed();
  await cancelAtStripe(member, true);
  await beforeWrite(
    money.client,
    async () => {
      await cancelAtStripe(member, false);
      await sync(member);
    },
    () => sync(member),
  );
  expect(await money.memberNow(member)).toMatchObject({ cancel_at_period_end: false, cancel_at: null });
});

it("a synchronization that finds no difference reads Stripe again if the member was written since", async () => {
  const member = await aConfirmed();
  await beforeWrite(
    money.client,
    async () => {
      await cancelAtStripe(member, true);
      await sync(member);
      await cancelAtStripe(member, false);
    },
    () => sync(member),
  );
  expect(await money.memberNow(member)).toMatchObject({ cancel_at_period_end: false });
});

it("a synchronization reads Stripe again if an earlier version of Odis and a confirmation were faster", async () => {
  const member = await aConfirmed();
  const read = await confirmedNow(member);
  await cancelAtStripe(member, true);
  await beforeWrite(
    money.client,
    async () => {
      const set = { sync_version: member.sync_version + 1 };
      await write(money.table, [{ update: keyOf(member), set, when: "exists" }]);
      await confirm(money.table, member, read);
    },
    () => sync(member),
  );
  expect(await money.memberNow(member)).toMatchObject({ cancel_at_period_end: true });
});

it("a synchronization that finds no difference reads Stripe again if the address was edited since", async () => {
  const member = await aConfirmed();
  await beforeWrite(
    money.client,
    // An edit whose address has been replaced at Stripe since.
    () => update(money.table, member, edit(member, { shipping_address: anAddress() }), givenBy()),
    () => sync(member),
  );
  expect(await money.memberNow(member)).toMatchObject({ shipping_address: null });
});

it("a synchronization of a member whose membership is missing fails at once and names the member", async () => {
  const member = await aConfirmed();
  await write(money.table, [{ delete: keys.membership(member.user.id, member.community_id) }]);
  await expect(sync(member)).rejects.toThrow(`Member ${member.id} has no membership`);
});

it("a member that an earlier version of Odis has synchronized last is written once, then confirmed", async () => {
  const member = await aConfirmed();
  const sync_version = member.sync_version + 1;
  await write(money.table, [{ update: keyOf(member), set: { sync_version }, when: "exists" }]);
  await sync(member);
  expect(await money.memberNow(member)).toMatchObject({ sync_version: sync_version + 1 });
  await sync(member);
  expect(await money.memberNow(member)).toMatchObject({ sync_version: sync_version + 1 });
});

it("a copy that the schedule repeats writes all attributes of the member, also without a difference", async () => {
  const member = await aConfirmed();
  await write(money.table, [{ update: keyOf(member), set: { access_pk: undefined }, when: "exists" }]);
  await performTask(context(), copyAgain(member.community_id, member.id).put, false);
  expect(await itemNow(member)).toMatchObject({ access_pk: itemOf(member).access_pk });
});
