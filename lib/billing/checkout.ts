import { createHash } from "node:crypto";
import type Stripe from "stripe";
import { alreadyAMember, type CheckoutRequest } from "../domain/checkout.ts";
import type { TierFields } from "../domain/tier.ts";
import { newId, timeOf } from "../ids.ts";
import { Problem, validationFailed } from "../problem.ts";
import * as customers from "../store/customers.ts";
import * as members from "../store/members/members.ts";
import * as memberships from "../store/members/memberships.ts";
import type { OpenCommunity } from "../store/open-community.ts";
import type { Reader } from "../store/table.ts";
import * as users from "../store/users.ts";
import { shippingCountries } from "../values/country.ts";
import { statuses } from "../values/member-status.ts";
import { fullNameOf } from "../values/person.ts";
import { writeAddress } from "./address.ts";
import type { BillingContext } from "./context.ts";
import { withDetails } from "./profile.ts";
import { expireSession, expireSessions } from "./sessions.ts";
import { isoOf } from "./snapshot.ts";
import { type Billing, isUnknownCustomer, problemOf, recoveryFrom, refusalOf, unlessIgnored } from "./stripe.ts";
import { soldAs, unknownTier } from "./tier-price.ts";

export type OpenedSession = { readonly id: string; readonly url: string; readonly expires_at: string };

/** The stored state that decides whether a person may check out. */
export type Shopper = {
  readonly caller: users.SignedIn;
  /** The person's profile. Undefined if their sign-in has not created it yet. */
  readonly user: users.User | undefined;
  readonly community: OpenCommunity;
  readonly membership: memberships.Membership | undefined;
  readonly customer: customers.Customer | undefined;
};

/**
 * Opens Stripe's hosted checkout for a tier and expires the person's earlier open sessions in the community. Links the
 * Stripe customer to the member first, so that events about the customer find the member. Replaces a customer that was
 * deleted at Stripe.
 *
 * @throws Problem `community_archived`, `member_blocked`, `already_a_member`, `unknown_tier`
 */
export async function openCheckout(
  context: BillingContext,
  shopper: Shopper,
  request: CheckoutRequest,
  operationId: string,
): Promise<OpenedSession> {
  const { tier, price } = assertMayCheckOut(shopper, request);
  const { table, now } = context;
  const { community } = shopper;
  const user = shopper.user ?? (await users.made(table, shopper.caller, now));
  const place = { userId: user.id, communityId: community.id, tierId: tier.id };
  const memberId = newId(now, table.runtime.random);
  const lapsed = hasLapsed(shopper, now) && !(await isUsed(context.billing, shopper.customer));
  const reserved = await customers.reserve(table, place, shopper.customer, memberId, lapsed);
  const member = { community_id: community.id, member_id: reserved.member_id };
  // A trial of a free tier takes no card, and a change during the trial charges nothing.
  const hasTrial = tier.monthly_price_dollars > 0 && tier.trial_days > 0 && (await mayHaveTrial(table, shopper));
  const open = (customer: string) =>
    openSession(context, { userId: user.id, customer, tier, price, hasTrial, member, request, operationId });

  const { customer_id } = reserved;
  try {
    return await open(customer_id ?? (await createCustomer(context, user, member)));
  } catch (error) {
    if (customer_id === null || recoveryFrom("checkout", error) !== "new_customer") throw error;
    return open(await createCustomer(context, user, member, customer_id));
  }
}

/**
 * Whether a reserved member id is too old to use: it was reserved at least 30 days ago, and no member was created. The
 * id contains the time of the reservation, which would count as the time of joining.
 */
function hasLapsed({ customer, membership }: Shopper, now: Date): boolean {
  if (!customer || membership) return false;
  const reservedAt = customer.reserved_at === undefined ? timeOf(customer.member_id) : new Date(customer.reserved_at);
  return now.getTime() - reservedAt.getTime() > customers.reservedDays * 86_400_000;
}

/**
 * Whether a subscription names the reserved id, such as one that was paid a moment ago, or was rejected and waits to be refunded.
 * Expires the open sessions first, because one of them could be paid with this id later.
 *
 * @throws Problem `already_a_member` if a session was completed in the meantime
 */
async function isUsed(billing: Billing, reserved: customers.Customer | undefined): Promise<boolean> {
  const customer = reserved?.customer_id;
  if (!customer) return false;
  try {
    await expireSessions(billing, customer);
    const { data } = await billing((stripe, options) =>
      stripe.subscriptions.list({ customer, status: "all", limit: 1 }, options),
    );
    return data.length > 0;
  } catch (error) {
    if (!isUnknownCustomer(error, customer)) throw error;
    return false;
  }
}

/** A trial is for people who never had access to the community and were not imported. */
async function mayHaveTrial(table: Reader, { community, membership }: Shopper): Promise<boolean> {
  const member = membership && (await members.find(table, community.id, membership.member_id));
  return !member || (member.first_granted_at === null && !member.imported);
}

type SessionRequest = {
  readonly userId: number;
  readonly customer: string;
  readonly tier: TierFields;
  /** The id of the tier's price for the interval of the request. */
  readonly price: string;
  readonly hasTrial: boolean;
  readonly member: { readonly community_id: number; readonly member_id: number };
  readonly request: Pick<CheckoutRequest, "success_url" | "cancel_url">;
  readonly operationId: string;
  /** The id of the free subscription that the new one replaces. */
  readonly replaces?: string;
};

/** Opens a session, and expires the customer's others. */
export async function openSession(
  { table, billing }: BillingContext,
  { userId, customer, tier, price, hasTrial, member, request, operationId, replaces }: SessionRequest,
) {
  const metadata = {
    operation_id: operationId,
    community_id: String(member.community_id),
    member_id: String(member.member_id),
    tier_id: String(tier.id),
    ...(replaces !== undefined && { replaces }),
  };
  const params: Stripe.Checkout.SessionCreateParams = {
    mode: "subscription",
    customer,
    client_reference_id: metadata.member_id,
    line_items: [{ price, quantity: 1 }],
    success_url: request.success_url,
    cancel_url: request.cancel_url,
    // Otherwise, Stripe would convert the price of each renewal at that day's rate, and add a fee.
    adaptive_pricing: { enabled: false },
    subscription_data: { metadata, ...(hasTrial && { trial_period_days: tier.trial_days }) },
    ...(tier.monthly_price_dollars === 0 && { payment_method_collection: "if_required" }),
    ...(tier.requires_shipping_address && collectAddress),
  };
  // If the tier has changed since an earlier attempt at this request, also expires the session of that attempt.
  const attempt = hashOf(params);
  await expireSessions(billing, customer, attempt);
  const session = await billing(
    (stripe, options) => stripe.checkout.sessions.create({ ...params, metadata: { ...metadata, attempt } }, options),
    `checkout-${operationId}-${attempt}`,
  ).catch((error: unknown) => {
    throw redirectProblem("checkout", error) ?? unavailablePrice(error) ?? error;
  });
  // An erasure or a block in the meantime may not have seen this session. After an erasure, nobody could pay it back.
  const [person, membership] = await Promise.all([
    users.find(table, userId),
    memberships.find(table, userId, member.community_id),
  ]);
  if (person?.erased_at !== undefined || membership?.is_blocked) await expireSession(billing, session.id);
  users.assertNotErased(person);
  assertNotBlocked(membership);
  if (!session.url) throw new Error(`Checkout session ${session.id} has no address`);
  return { id: session.id, url: session.url, expires_at: isoOf(session.expires_at) };
}

const collectAddress: Pick<Stripe.Checkout.SessionCreateParams, "shipping_address_collection" | "customer_update"> = {
  shipping_address_collection: {
    allowed_countries:
      shippingCountries as Stripe.Checkout.SessionCreateParams.ShippingAddressCollection.AllowedCountry[],
  },
  customer_update: { shipping: "auto" },
};

function assertMayCheckOut({ community, membership }: Shopper, { tier_id, interval }: CheckoutRequest) {
  if (community.status === "archived") throw new Problem("community_archived");
  assertNotBlocked(membership);
  if (membership && statuses[membership.status].isLive) throw alreadyAMember(membership.status);
  const { tier, price_id: price } = soldAs(community, tier_id, interval);
  return { tier, price };
}

function assertNotBlocked(membership: memberships.Membership | undefined): void {
  if (membership?.is_blocked) throw new Problem("member_blocked", { detail: "You are blocked in this community" });
}

const unavailablePrice = (error: unknown): Problem | undefined =>
  problemOf("checkout", error)?.code === "unknown_tier"
    ? unknownTier("must be a tier whose price and product are active in Stripe", error)
    : undefined;

/** Creates the Stripe customer of a member. `deletedCustomer` is the id of the customer that it replaces. */
async function createCustomer(
  { table, billing }: BillingContext,
  user: users.User,
  { community_id, member_id }: { community_id: number; member_id: number },
  deletedCustomer?: string,
): Promise<string> {
  const metadata = { community_id: String(community_id), member_id: String(member_id), user_id: String(user.id) };
  const { id: customer_id } = await withDetails(user, (details) =>
    billing(
      (stripe, options) => stripe.customers.create({ ...details, metadata }, options),
      // The details may change between attempts, and Stripe accepts an idempotency key only with the same parameters.
      `customer-${member_id}-${deletedCustomer ?? "first"}-${hashOf(details)}`,
    ),
  );
  const member = await members.find(table, community_id, member_id);
  // Imported members already have an address. Stripe accepts none without a recipient.
  const address = member?.shipping_address;
  if (address)
    await writeAddress(billing, customer_id, { ...address, name: address.name || fullNameOf(user) }).catch((error) => {
      // An address that Stripe refuses does not prevent the checkout.
      if (!refusalOf(error)?.param.startsWith("shipping")) throw error;
    });
  const link = { customer_id, community_id, member_id, user_id: user.id };
  // A change of the profile is copied to the customers that are linked at that moment.
  const isCurrent = users.stillHas(users.shownPerson(user));
  await customers.tie(table, link, member, deletedCustomer, [isCurrent]).catch(async (error: unknown) => {
    // The person was erased in the meantime, and nothing refers to this customer.
    if (error instanceof Problem && error.code === "invalid_token") await deleteCustomer(billing, customer_id);
    throw error;
  });
  return customer_id;
}

/** Deletes a Stripe customer with its names, addresses and payment methods. Stripe keeps the payments. Idempotent. */
export async function deleteCustomer(billing: Billing, customer: string): Promise<void> {
  await billing((stripe, options) => stripe.customers.del(customer, {}, options)).catch(unlessIgnored("customer"));
}

/** A hash of the parameters, for the idempotency key. Stripe accepts a key only with the same parameters. */
export const hashOf = (params: object): string =>
  createHash("sha256").update(JSON.stringify(params)).digest("base64url").slice(0, 22);

/** Returns the problem for a redirect URL that Stripe refuses. Undefined for every other error. */
export function redirectProblem(request: "checkout" | "portal", error: unknown): Problem | undefined {
  if (problemOf(request, error)?.code !== "validation_failed") return undefined;
  const pointer = `/${refusalOf(error)?.param ?? ""}`;
  return validationFailed([{ pointer, code: "invalid_format", message: "must be a URL that Stripe accepts" }], error);
}
