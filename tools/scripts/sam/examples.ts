import type { GenericSchema, InferInput } from "valibot";
import * as benefits from "#lib/contract/benefits.ts";
import * as brands from "#lib/contract/brands.ts";
import * as checkout from "#lib/contract/checkout.ts";
import * as communities from "#lib/contract/communities.ts";
import * as destinations from "#lib/contract/destinations.ts";
import * as discovery from "#lib/contract/discovery.ts";
import * as keys from "#lib/contract/keys.ts";
import * as me from "#lib/contract/me.ts";
import * as members from "#lib/contract/members.ts";
import * as membership from "#lib/contract/membership.ts";
import type { Params, Route } from "#lib/contract/route.ts";
import * as subscriptions from "#lib/contract/subscriptions.ts";
import * as system from "#lib/contract/system.ts";
import * as team from "#lib/contract/team.ts";
import * as tiers from "#lib/contract/tiers.ts";
import * as people from "#lib/contract/users.ts";
import * as webhooks from "#lib/contract/webhooks.ts";
import type { Local, Records } from "./records.ts";

type Asked<R extends Route> = {
  /** The user whose token is sent. Default: a user who may call the route. */
  readonly as?: keyof Local["tokens"];
  readonly headers?: Readonly<Record<string, string>>;
} & (keyof Params<R> extends never ? object : { readonly params: Params<R> }) &
  (R extends { query: infer S extends GenericSchema } ? { readonly query?: InferInput<S> } : object) &
  (R extends { body: infer S extends GenericSchema } ? { readonly body: InferInput<S> } : { readonly body?: string });

/** A request to a route. */
export type Example = {
  readonly route: Route;
  readonly as?: keyof Local["tokens"];
  readonly headers?: Readonly<Record<string, string>>;
  readonly params?: Readonly<Record<string, number | string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

/** Returns a request to each route with the demo's data, which succeeds the first time. */
export function examplesOf(records: Records, { api_url, users }: Local, event: { body: string; signature: string }) {
  const inCommunity = { community_id: records.community };
  const ofProducer = { producer_id: records.producer };
  const member = (id: number) => ({ community_id: records.community, id });
  const brand = (id: string) => ({ producer_id: records.producer, id });

  return [
    example(discovery.explore, { query: { query: "mezcal", per: "5" } }),

    example(members.list, { params: inCommunity, query: { status: "active", per: "2" } }),
    example(members.show, { params: member(records.member) }),
    example(members.update, {
      params: member(records.member),
      body: { member: { metadata: { notes: "Prefers joven", bottle: 7 } } },
    }),
    example(members.block, { params: member(records.paying), body: { reason: "Resold member bottles" } }),
    example(members.unblock, { params: member(records.blocked) }),
    example(members.cancelSubscription, {
      params: member(records.alsoPaying),
      body: { mode: "at_period_end", feedback: "too_expensive" },
    }),
    example(members.uncancelSubscription, { params: member(records.canceling), body: {} }),
    example(members.issueRefund, {
      params: member(records.member),
      body: { amount_cents: 500, note: "The bottle arrived broken" },
    }),
    example(members.refundCharge, {
      params: member(records.member),
      body: { charge_id: records.charge, amount_cents: 100, reason: "duplicate" },
    }),
    example(members.paymentHistory, { params: member(records.member), query: { per: "3" } }),
    example(members.subscriptionDetails, { params: member(records.member) }),
    example(members.activity, { params: member(records.member), query: { per: "5" } }),

    example(members.importBatch, {
      params: inCommunity,
      body: {
        members: [
          {
            id: 7001,
            user: { email: "from-before@example.com", first_name: "Zoë" },
            tier_id: records.tier,
            status: "canceled",
            created_at: "2019-05-01T00:00:00.000Z",
            current_period_start: "2020-04-01T00:00:00.000Z",
            current_period_end: "2020-05-01T00:00:00.000Z",
            ended_at: "2020-05-01T00:00:00.000Z",
          },
        ],
      },
    }),

    example(membership.show, { as: "member", params: inCommunity }),
    example(membership.paymentHistory, { as: "member", params: inCommunity, query: { per: "2" } }),
    example(membership.cancelSubscription, { as: "member", params: inCommunity, body: { feedback: "unused" } }),
    example(membership.uncancelSubscription, { as: "member", params: inCommunity, body: {} }),

    example(subscriptions.change, { params: member(records.member), body: { tier_id: records.tier } }),
    example(subscriptions.changeOwn, { as: "member", params: inCommunity, body: { tier_id: records.tier } }),
    example(subscriptions.dropScheduledChange, { params: member(records.changing) }),
    example(subscriptions.dropOwnScheduledChange, { as: "member", params: inCommunity }),

    example(me.show, { as: "member" }),
    example(me.data, { as: "member" }),
    example(me.erase, { as: "member", body: { dry_run: true } }),
    example(people.list, { query: { email: "member@example.com" } }),
    example(people.data, { params: { id: users.member } }),
    example(people.erase, { params: { id: users.member }, body: { dry_run: true } }),

    example(communities.create, { body: { community: { name: "Gin Guild", owner_id: users.owner } } }),
    example(communities.list, { query: { slug: "mezcal-circle" } }),
    example(communities.show, { params: { id: records.community } }),
    example(communities.update, {
      params: { id: records.community },
      body: { community: { avatar_url: "https://example.com/mezcal.png" } },
    }),
    example(communities.stats, { params: inCommunity }),
    example(communities.series, { params: inCommunity, query: { metric: "mrr", interval: "week" } }),
    example(communities.activity, { params: { id: records.community }, query: { per: "5" } }),
    example(communities.transactions, { params: inCommunity, query: { per: "5", type: "payment" } }),
    example(communities.movements, { params: inCommunity, query: { per: "5", access: "begun" } }),
    example(communities.events, { params: inCommunity, query: { per: "1", type: "community.created" } }),

    example(tiers.list, { params: inCommunity }),
    example(tiers.create, {
      params: inCommunity,
      body: { tier: { name: "Copita", monthly_price_dollars: 5, badge: "Copita" } },
    }),
    example(tiers.show, { params: { id: records.tier } }),
    example(tiers.update, { params: { id: records.tier }, body: { tier: { badge: "Amigo" } } }),
    example(tiers.remove, { params: { id: records.unusedTier } }),

    example(checkout.createSession, {
      params: inCommunity,
      body: { tier_id: records.tier, success_url: `${api_url}/welcome`, cancel_url: `${api_url}/tiers` },
      headers: { "idempotency-key": crypto.randomUUID() },
    }),
    example(checkout.createPortalSession, {
      as: "member",
      params: inCommunity,
      body: { return_url: `${api_url}/account` },
    }),

    example(webhooks.stripe, { body: event.body, headers: { "stripe-signature": event.signature } }),

    example(brands.list, { params: ofProducer, query: { query: "agave" } }),
    example(brands.create, { params: ofProducer, body: { brand: { name: "Flor de Cuishe" } } }),
    example(brands.show, { params: brand(records.brand) }),
    example(brands.update, { params: brand(records.brand), body: { brand: { name: "100% Cuishe, joven" } } }),
    example(brands.activity, { params: brand(records.brand), query: { per: "5" } }),
    example(brands.remove, { params: brand(records.otherBrand) }),

    example(benefits.list, { params: inCommunity, query: { status: "all" } }),
    example(benefits.create, {
      params: inCommunity,
      body: { benefit: { name: "A tour of the still house", tier_ids: [records.tier] } },
    }),
    example(benefits.show, { params: { id: records.benefit } }),
    example(benefits.update, {
      params: { id: records.benefit },
      body: { benefit: { description: "By post, on the first Friday." } },
    }),
    example(benefits.assignToTiers, {
      params: { id: records.benefit },
      body: { tier_ids: [records.tier, records.otherTier] },
    }),
    example(benefits.archive, { params: { id: records.benefit }, body: {} }),
    example(benefits.activate, { params: { id: records.archivedBenefit }, body: {} }),
    example(benefits.remove, { params: { id: records.otherBenefit } }),

    example(destinations.list, { params: inCommunity }),
    example(destinations.create, {
      params: inCommunity,
      body: { event_destination: { url: "https://example.com/odis-events", events: ["member.*"] } },
    }),
    example(destinations.show, { params: { id: records.destination } }),
    example(destinations.update, {
      params: { id: records.destination },
      body: { event_destination: { description: "The door of the club house" } },
    }),
    example(destinations.rotateSecret, { params: { id: records.destination }, body: {} }),
    example(destinations.ping, { params: { id: records.destination }, body: {} }),
    example(destinations.deliveries, { params: { id: records.destination }, query: { per: "5" } }),
    // The destination has no delivery to resend.
    example(destinations.resend, { params: { id: records.destination, delivery_id: 7 }, body: {} }),
    example(destinations.resendMany, { params: { id: records.destination }, body: { delivery_ids: [7] } }),
    example(destinations.remove, { params: { id: records.otherDestination } }),

    example(team.list, { params: inCommunity }),
    example(team.update, {
      params: { ...inCommunity, user_id: records.teamMember },
      body: { team_member: { role: "viewer" } },
    }),
    example(team.remove, { params: { ...inCommunity, user_id: records.otherTeamMember } }),
    example(keys.list, { params: inCommunity }),
    example(keys.create, { params: inCommunity, body: { api_key: { name: "Webshop", role: "viewer" } } }),
    example(keys.remove, { as: "owner", params: { id: records.otherApiKey } }),

    example(team.listInvitations, { params: inCommunity }),
    example(team.invite, { params: inCommunity, body: { invitation: { email: "lea@example.com", role: "support" } } }),
    example(team.removeInvitation, { as: "owner", params: { id: records.otherInvitation } }),
    example(team.accept, { params: { id: records.invitation }, body: {} }),

    example(system.health, {}),
    example(system.fallback, {}),
  ];
}

const callers = {
  public: undefined,
  optional: "member",
  user: "stranger",
  owner: "owner",
  editor: "editor",
  admin: "admin",
} as const satisfies Record<Route["access"], keyof Local["tokens"] | undefined>;

function example<R extends Route>(route: R, asked: Asked<R>): Example {
  const as = callers[route.access];
  return { route, ...(as && { as }), ...asked };
}
