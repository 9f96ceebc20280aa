import type { Account } from "stripe-stand-in";
import { complete } from "stripe-stand-in/core/checkout-completion";
import * as cards from "stripe-stand-in/core/customers";
import { changeSubscription } from "stripe-stand-in/core/dashboard";
import { update } from "stripe-stand-in/core/subscription-changes";
import type { LocalStripe } from "stripe-stand-in/server";
import { cancel } from "#lib/billing/cancellation.ts";
import { updatePrices } from "#lib/billing/catalog.ts";
import { change } from "#lib/billing/change.ts";
import { openCheckout } from "#lib/billing/checkout.ts";
import type { BillingContext } from "#lib/billing/context.ts";
import type { OperationRequest } from "#lib/billing/operations.ts";
import { refund } from "#lib/billing/refunds.ts";
import { idOf } from "#lib/billing/snapshot.ts";
import type { Billing } from "#lib/billing/stripe.ts";
import { syncMember } from "#lib/billing/sync.ts";
import { shopper } from "#lib/guards/shopper.ts";
import type { Actor } from "#lib/store/activity.ts";
import { decideAgain } from "#lib/store/again.ts";
import * as communities from "#lib/store/communities.ts";
import * as customers from "#lib/store/customers.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import type { Link } from "#lib/store/members/sync.ts";
import * as tiers from "#lib/store/tiers.ts";
import type { Person } from "#lib/values/person.ts";
import type { Stack } from "../stack.ts";
import { subOf } from "../users.ts";
import { type Happening, type Life, repriced } from "./year.ts";

/** The stack with the stand-in for Stripe and a client of it. */
export type Local = Stack & { readonly stripe: LocalStripe; readonly billing: Billing };

export type DemoPerson = Omit<Person, "email">;

/** The person, their history, and the time of an event in it. */
export type Scene = { readonly person: DemoPerson; readonly life: Life; readonly owner: DemoPerson; readonly at: Date };

/** Performs an event of a person's history and synchronizes their customer. */
export async function live(stack: Local, scene: Scene, happening: Happening): Promise<StoredMember | undefined> {
  if (happening.does === "join") await decideAgain(stack.table, () => join(stack, scene, happening));
  const link = await linkOf(stack, scene);
  await decideAgain(stack.table, () => act(stack, scene, happening, link));
  return syncMember(contextOf(stack, scene.at), link);
}

async function linkOf(
  { table }: Local,
  { person: { id: user_id }, life: { community: community_id } }: Scene,
): Promise<Link> {
  const customer = await customers.find(table, user_id, community_id);
  if (!customer?.customer_id) throw new Error(`Person ${user_id} has never checked out`);
  return { user_id, community_id, member_id: customer.member_id, customer_id: customer.customer_id };
}

const contextOf = ({ table, billing }: Local, now: Date): BillingContext => ({ table, billing, now });

type Join = Extract<Happening, { does: "join" }>;

async function join(stack: Local, { person, life, at }: Scene, { tier: tier_id, isDeclined }: Join): Promise<void> {
  const { table, stripe, url } = stack;
  const caller = { id: person.id, groups: [], sub: subOf(person.id), username: person.username };
  const { parent } = await shopper({ caller, params: { community_id: life.community }, table });
  const request = { tier_id, interval: "month", success_url: url, cancel_url: url } as const;
  const session = await openCheckout(contextOf(stack, at), parent, request, `demo-${person.id}-${at.getTime()}`);
  if (isDeclined) {
    const headers = { "content-type": "application/json" };
    await fetch(`${session.url}/complete`, { method: "POST", headers, body: '{"decline":true}' });
    return;
  }
  const shipping = tier_id % 10 > 1 ? { shipping: { address: home } } : {};
  stripe.act((account) => complete(account, session.id, { decline: false, ...shipping }));
}

/** Performs an event: at Stripe, in Stripe's dashboard, or as a request of the owner. */
async function act(stack: Local, { owner, at, life }: Scene, happening: Happening, link: Link): Promise<void> {
  const { table, stripe } = stack;
  const member = async (): Promise<StoredMember> => {
    const found = await members.find(table, link.community_id, link.member_id);
    if (!found) throw new Error(`Person ${link.user_id} has not become a member`);
    return found;
  };
  const operation: OperationRequest = {
    operationId: `demo-${link.member_id}-${happening.after}`,
    fingerprint: null,
    actorId: owner.id,
    requestId: "demo",
    begunAt: at,
    isConditional: false,
  };
  switch (happening.does) {
    case "join":
    case "nothing":
      return;
    case "change card":
      return stripe.act((account) => changeCard(account, link.customer_id, happening.pays));
    case "change price": {
      const parent = await communities.open(table, life.community);
      const price = parent.tiers.find(({ id }) => id === happening.tier)?.stripe_price_id;
      if (!price) throw new Error(`Tier ${happening.tier} has no price`);
      return void stripe.act((account) =>
        changeSubscription(account, { price }, subscriptionOf(account, link.customer_id)),
      );
    }
    case "change later": {
      const place = { record: await member(), parent: await communities.open(table, life.community) };
      const body = { tier_id: happening.tier, dry_run: false };
      return void (await change(contextOf(stack, at), "owner", place, body, operation));
    }
    case "cancel": {
      const { mode, feedback } = happening;
      return void (await cancel(contextOf(stack, at), await member(), { mode, feedback, comment: null }, operation));
    }
    case "refund": {
      const { amount_cents, note } = happening;
      const wanted = { amount_cents, note, reason: "requested_by_customer" as const };
      const parent = await communities.open(table, life.community);
      return void (await refund(contextOf(stack, at), { record: await member(), parent }, wanted, operation));
    }
    case "block":
      return void (await members.block(table, await member(), happening.reason, {
        id: owner.id,
        requestId: "demo",
        now: at,
      }));
  }
}

function changeCard(account: Account, customer: string, pays: boolean): void {
  const { id } = cards.attach(account, pays ? "pm_card_visa" : "pm_card_chargeCustomerFail", customer);
  update(account, subscriptionOf(account, customer), { default_payment_method: id });
}

/** Returns the newest subscription of a customer. */
function subscriptionOf(account: Account, customer: string): string {
  const newest = [...account.rows("subscription")].findLast((one) => idOf(one.customer) === customer);
  if (!newest) throw new Error(`Customer ${customer} has no subscription`);
  return newest.id;
}

const home = { line1: "Calle Reforma 12", city: "Oaxaca de Juárez", state: "OAX", postal_code: "68000", country: "MX" };

/** Raises the price of a tier for new members. */
export async function reprice(stack: Local, by: Actor): Promise<void> {
  const community = await communities.open(stack.table, 1);
  const tier = community.tiers.find(({ id }) => id === repriced.tier);
  if (!tier) throw new Error(`There is no tier ${repriced.tier}`);
  const changed = { ...tier, monthly_price_dollars: repriced.to };
  const priceIds = await updatePrices(stack.billing, tier, changed);
  const changes = { monthly_price_dollars: repriced.to, ...priceIds };
  await decideAgain(stack.table, () => tiers.update(stack.table, tier, changes, by));
}
