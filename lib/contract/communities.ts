import { CommunityActivity, CommunityActivityPage, CommunityActivityQuery } from "../domain/activity.ts";
import { Community, CommunityCreate, CommunityListQuery, CommunityPage, CommunityUpdate } from "../domain/community.ts";
import { EventListQuery, EventPage } from "../domain/event-list.ts";
import { Movement, MovementPage, MovementQuery } from "../domain/movement-list.ts";
import { Series, SeriesQuery } from "../domain/series.ts";
import { Stats } from "../domain/stats.ts";
import { Transaction, TransactionPage, TransactionQuery } from "../domain/transaction.ts";
import type { Route } from "./route.ts";

export const create = {
  method: "POST",
  path: "/odis/v1/communities",
  access: "admin",
  body: CommunityCreate,
  status: 201,
  output: Community,
  location: "/odis/v1/communities/{id}",
  etag: true,
  problems: ["slug_taken", "person_erased"],
  table: "write",
} as const satisfies Route;

export const list = {
  method: "GET",
  path: "/odis/v1/communities",
  access: "optional",
  query: CommunityListQuery,
  output: CommunityPage,
  cursor: true,
  problems: ["forbidden"],
  table: "read",
  partitions: ["communities", "communityLists", "slugs", "nobody", "subjects"],
} as const satisfies Route;

export const show = {
  method: "GET",
  path: "/odis/v1/communities/{id}",
  access: "optional",
  output: Community,
  etag: true,
  table: "read",
  partitions: ["communities", "nobody", "subjects"],
} as const satisfies Route;

export const update = {
  method: "PATCH",
  path: "/odis/v1/communities/{id}",
  access: "owner",
  right: "community_write",
  body: CommunityUpdate,
  output: Community,
  etag: true,
  problems: ["slug_taken", "person_erased"],
  table: "write",
} as const satisfies Route;

export const stats = {
  method: "GET",
  path: "/odis/v1/communities/{community_id}/stats",
  access: "owner",
  right: "figures_read",
  output: Stats,
  table: "read",
} as const satisfies Route;

export const series = {
  method: "GET",
  path: "/odis/v1/communities/{community_id}/stats/series",
  access: "owner",
  right: "figures_read",
  query: SeriesQuery,
  output: Series,
  table: "read",
} as const satisfies Route;

export const activity = {
  method: "GET",
  path: "/odis/v1/communities/{id}/activity",
  access: "owner",
  right: "activity_read",
  csvRight: "members_export",
  query: CommunityActivityQuery,
  output: CommunityActivityPage,
  cursor: true,
  csv: CommunityActivity,
  table: "read",
  indexes: true,
} as const satisfies Route;

export const events = {
  method: "GET",
  path: "/odis/v1/communities/{community_id}/events",
  access: "owner",
  right: "activity_read",
  query: EventListQuery,
  output: EventPage,
  cursor: true,
  table: "read",
} as const satisfies Route;

export const transactions = {
  method: "GET",
  path: "/odis/v1/communities/{community_id}/transactions",
  access: "owner",
  right: "activity_read",
  csvRight: "members_export",
  query: TransactionQuery,
  output: TransactionPage,
  cursor: true,
  csv: Transaction,
  table: "read",
} as const satisfies Route;

export const movements = {
  method: "GET",
  path: "/odis/v1/communities/{community_id}/movements",
  access: "owner",
  right: "members_read",
  csvRight: "members_export",
  query: MovementQuery,
  output: MovementPage,
  cursor: true,
  csv: Movement,
  table: "read",
} as const satisfies Route;

/** The texts of each route in the API reference. */
export const docs = {
  create: "Create a community with its owner",
  list: [
    "Find a community by its slug, or list all communities, newest first",
    "Anybody can find a community by its slug. Only admins can list all communities.",
  ],
  show: "Show a community",
  update: "Edit a community; only admins can change its owner, status and trending pin",
  stats: [
    "Show a community's figures: members, revenue, joins and departures",
    "The figures are at most a minute old.",
  ],
  series: [
    "Show a figure of a community over time, by day, week or month",
    "At most 400 points. The figures are at most a minute old.",
  ],
  activity: [
    "List the activity of a community, its tiers, its benefits and its members, newest first",
    "Includes what people and API keys did to members. What Stripe and Odis did is in the activity of the member. An import of members has one entry per request. With `Accept: text/csv`, the page is CSV.",
  ],
  events: [
    "List the events of a community in the last 30 days, newest first, or those after an event, oldest first",
    "The order is that in which Odis stored the events. No event is ever inserted before a listed one, so a reader goes on from the last one with `after`. An `after` that is unknown, older than 30 days, or from before Odis was restored from a backup is 422 `invalid_cursor`: read all records again.",
  ],
  transactions: [
    "List the payments, refunds and disputes of a community, newest first",
    "Payments are paid invoices. For any month, payments less refunds that have neither failed nor been canceled are `gross` less `refunded` of the series. With `Accept: text/csv`, the page is CSV.",
  ],
  movements: [
    "List who got or lost access to a community, and whose monthly amount changed, newest first",
    "For any period, those with `access` `begun` are as many as `joined` of the series, and those with `ended` as many as `left`. With `Accept: text/csv`, the page is CSV.",
  ],
} as const;
