import { describe, expect, it } from "vitest";
import type { StoredMember } from "#lib/store/members/item.ts";
import { handler as block } from "../../functions/members/block.ts";
import { handler as paymentHistoryOfMember } from "../../functions/members/payment-history.ts";
import { handler as cancel } from "../../functions/membership/cancel-subscription.ts";
import { handler as paymentHistory } from "../../functions/membership/payment-history.ts";
import { erasing } from "../../functions/users/erase.ts";
import { forMember } from "../support/money/handlers.ts";
import { startMoney } from "../support/money.ts";
import { setUp } from "../support/set-up.ts";

const money = startMoney();

const community = setUp(() => money.aPricedCommunity());

const params = () => ({ community_id: community.id });

/** The payment history that a person sees of themself. */
const historyOf = ({ user }: Pick<StoredMember, "user">, query = "") =>
  money.call(paymentHistory, { params: params(), as: { id: user.id }, query });

/** Renews the subscriptions of all members. */
async function renew() {
  await money.control("advance", { days: 32 });
  await money.deliverAll();
}

describe("a member's own payment history", () => {
  it("a member sees their own invoices as the owner does, with links to their page and PDF", async () => {
    const member = await money.aSubscriber(community);
    const own = await historyOf(member);
    expect(own).toMatchObject({ status: 200, body: { data: [{ status: "paid", amount_paid_cents: 2500 }] } });
    const [invoice] = (own.body?.data ?? []) as { hosted_invoice_url: string; invoice_pdf: string }[];
    expect(await (await fetch(invoice?.hosted_invoice_url ?? "")).text()).toContain("Total: $25.00");
    expect((await fetch(invoice?.invoice_pdf ?? "")).headers.get("content-type")).toBe("application/pdf");
    expect(own).toEqual(await money.call(paymentHistoryOfMember, { ...forMember(member), as: community.owner }));
  });

  it("a member pages through their own invoices, newest first, with cursors that only they can use", async () => {
    const [member, other] = [await money.aSubscriber(community), await money.aSubscriber(community)];
    await renew();
    const { body: first } = await historyOf(member, "per=1");
    expect(first).toMatchObject({ has_more: true, data: [{ status: "paid" }] });
    const next = `per=1&cursor=${String(first?.next_cursor)}`;
    const { body: second } = await historyOf(member, next);
    expect(second).toMatchObject({ has_more: false, next_cursor: null, data: [{ status: "paid" }] });
    expect([first, second].flatMap((page) => page?.data)).toEqual((await historyOf(member)).body?.data);
    expect(await historyOf(other, next)).toMatchObject({ status: 422, body: { code: "invalid_cursor" } });
  });

  it("a blocked member and a former member still see their own invoices", async () => {
    const [blocked, former] = [await money.aSubscriber(community), await money.aSubscriber(community)];
    await money.call(block, forMember(blocked));
    await money.call(cancel, { params: params(), as: former.user, body: { mode: "immediately" } });
    for (const member of [blocked, former])
      expect(await historyOf(member)).toMatchObject({ status: 200, body: { data: [{ status: "paid" }] } });
  });

  it("the own payment history of people without payments is empty: no member, the owner, an imported member", async () => {
    const imported = await money.aPerson();
    await money.importMember(community, { id: 78, user: { id: imported.id }, status: "active" });
    for (const user of [await money.aPerson(), community.owner, imported]) {
      const history = () => historyOf({ user } as StoredMember);
      expect(await history()).toEqual({ status: 200, body: { has_more: false, next_cursor: null, data: [] } });
      expect((await money.requestsDuring(history)).asked).toEqual([]);
    }
  });

  it("an erased person gets 401 invalid_token for their own payment history", async () => {
    const member = await money.aSubscriber(community);
    const body = { dry_run: false, cancel_subscriptions: true };
    const erased = await money.call(erasing(money.outside), { params: { id: member.user.id }, body });
    expect(erased).toMatchObject({ status: 200, body: { erased: true } });
    expect(await historyOf(member)).toMatchObject({ status: 401, body: { code: "invalid_token" } });
  });
});
