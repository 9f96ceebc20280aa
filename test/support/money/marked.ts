import type { PersonalData } from "#lib/domain/personal-data.ts";
import { keys } from "#lib/store/keys.ts";
import * as members from "#lib/store/members/members.ts";
import * as users from "#lib/store/users.ts";
import { handler as block } from "../../../functions/members/block.ts";
import { handler as cancel } from "../../../functions/members/cancel-subscription.ts";
import { handler as issueRefund } from "../../../functions/members/issue-refund.ts";
import { handler as update } from "../../../functions/members/update.ts";
import { subOf } from "../../../tools/local/users.ts";
import { allItems } from "../copies.ts";
import type { GivenCommunity } from "../given.ts";
import type { LocalMoney } from "../money.ts";
import { forMember, withKey } from "./handlers.ts";

/** A person, and unique texts that are stored about them. */
export type Marked = {
  readonly user: users.User;
  readonly members: readonly { readonly community_id: number; readonly id: number }[];
  readonly markers: readonly string[];
};

/**
 * A person with forty markers: four in the profile and eighteen in each of two memberships, whose subscriptions were paid,
 * partly refunded and canceled. The requests have an Idempotency-Key.
 *
 * @param places where they are members. Default: two new communities
 */
export async function aMarkedPerson(money: LocalMoney, places?: readonly GivenCommunity[]): Promise<Marked> {
  const markers: string[] = [];
  const mark = (kind: string) => {
    const marker = `mark${kind}${Math.random().toString(36).slice(2, 10)}`;
    markers.push(marker);
    return marker;
  };
  const names = { username: mark("user"), first_name: mark("first"), last_name: mark("last") };
  const added = users.newUser({ sub: "", ...names, email: `${mark("mail")}@example.com` }, new Date(), Math.random);
  const user = { ...added, sub: subOf(added.id) };
  await users.add(money.table, user, { ownsEmail: true });
  const found: { community_id: number; id: number }[] = [];
  for (const community of places ?? [await money.aPricedCommunity(), await money.aPricedCommunity()]) {
    const opened = await money.openCheckout(community, user);
    await money.complete(opened.body?.url);
    await money.deliverAll();
    const item = await money.table.get(keys.customerOf(user.id, community.id));
    const member = { community_id: community.id, id: Number(item?.member_id) };
    found.push(member);
    const ask = async (endpoint: typeof update, body: object) => {
      const request = { ...forMember(member), body, ...withKey(`${endpoint.route.path} ${member.id}`) };
      const { status, body: answer } = await money.call(endpoint, request);
      if (status === undefined || status >= 300) throw new Error(JSON.stringify(answer));
    };
    const address = ["name", "line1", "line2", "city", "state", "postal_code"].map((name) => [name, mark(name)]);
    const custom = ["a", "b", "c", "d", "e"].map((name) => [name, mark(name)]);
    const metadata = { notes: mark("notes"), ...Object.fromEntries(custom), [mark("key")]: { deep: [mark("deep")] } };
    const shipping_address = { ...Object.fromEntries(address), country: "MX" };
    await ask(update, { member: { metadata, shipping_address } });
    await ask(issueRefund, { amount_cents: 700, note: mark("refund") });
    const { body } = await money.call(issueRefund, {
      ...forMember(member),
      body: { amount_cents: 300, note: mark("again"), reason: "duplicate" },
    });
    if (body?.refund === undefined) throw new Error(JSON.stringify(body));
    await ask(cancel, { mode: "immediately", comment: mark("comment") });
    await ask(block, { reason: mark("reason") });
  }
  await money.deliverAll();
  for (const { community_id, id } of found)
    if (!(await members.find(money.table, community_id, id))) throw new Error("There is no member after a checkout");
  return { user, members: found, markers };
}

/** The markers that a value contains in any form. */
export const markersIn = ({ markers }: Marked, anything: unknown): string[] => {
  const text = JSON.stringify(anything);
  return markers.filter((marker) => text.includes(marker));
};

/** The amounts in an export. */
export const sumsOf = ({ memberships }: PersonalData) =>
  memberships.map(({ lifetime_spend_cents, total_refunded_cents, payments, refunds }) => ({
    lifetime_spend_cents,
    total_refunded_cents,
    paid: payments.map(({ id, amount_paid_cents, total_cents }) => [id, amount_paid_cents, total_cents]),
    refunded: refunds.map(({ refund_id, amount_cents, status }) => [refund_id, amount_cents, status]),
  }));

/** The items that have not expired at a time. */
export const itemsAt = async ({ client, name }: LocalMoney, at: Date) =>
  (await allItems(client, name)).filter(
    ({ expires_at }) => expires_at === undefined || Number(expires_at) * 1000 > at.getTime(),
  );
