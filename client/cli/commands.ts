import * as benefits from "#lib/contract/benefits.ts";
import * as brands from "#lib/contract/brands.ts";
import * as communities from "#lib/contract/communities.ts";
import * as destinations from "#lib/contract/destinations.ts";
import * as keys from "#lib/contract/keys.ts";
import * as members from "#lib/contract/members.ts";
import { pathParameters, type Route } from "#lib/contract/route.ts";
import * as subscriptions from "#lib/contract/subscriptions.ts";
import * as team from "#lib/contract/team.ts";
import * as tiers from "#lib/contract/tiers.ts";
import * as users from "#lib/contract/users.ts";

/** A command that calls one route. Its arguments, options and help follow from the route. */
export type ApiCommand = {
  readonly route: Route;
  /** The path parameter that is the command's argument, `id` if not given. Other path parameters are options. */
  readonly argument?: string;
  /** The fields of a list's records that a terminal shows, as paths. */
  readonly columns?: readonly string[];
  /** Whether the command asks for confirmation, because it moves money or deletes something permanently. */
  readonly isConfirmed?: true;
  /** Whether the output can be written to a file that only the user can read. */
  readonly hasFile?: true;
};

/** The path parameter that is the command's argument, if there is one. A community is always the option `--community`. */
export const argumentOf = ({ route, argument = "id" }: ApiCommand): string | undefined =>
  pathParameters(route.path).find(({ name, thing }) => name === argument && thing !== "community")?.name;

type Group = { readonly about: string; readonly commands: Readonly<Record<string, ApiCommand>> };

const changes = ["at", "action", "actor.type", "actor.id", "before", "after"];

/** Every command that calls one route, by its group. */
export const groups: Readonly<Record<string, Group>> = {
  communities: {
    about: "Communities and their figures",
    commands: {
      list: { route: communities.list, columns: ["id", "name", "slug", "status", "member_count", "owner_id"] },
      show: { route: communities.show },
      create: { route: communities.create },
      edit: { route: communities.update },
      stats: { route: communities.stats },
      series: { route: communities.series },
      activity: {
        route: communities.activity,
        columns: ["at", "action", "record.type", "record.id", "record.name", "actor.type", "actor.id", "actor.name"],
      },
    },
  },
  tiers: {
    about: "Membership tiers of a community",
    commands: {
      list: { route: tiers.list, columns: ["id", "name", "badge", "monthly_price_dollars", "status"] },
      show: { route: tiers.show },
      create: { route: tiers.create },
      edit: { route: tiers.update },
      delete: { route: tiers.remove, isConfirmed: true },
    },
  },
  benefits: {
    about: "Benefits of a community",
    commands: {
      list: { route: benefits.list, columns: ["id", "name", "position", "status", "tiers.name"] },
      show: { route: benefits.show },
      create: { route: benefits.create },
      edit: { route: benefits.update },
      assign: { route: benefits.assignToTiers },
      archive: { route: benefits.archive },
      activate: { route: benefits.activate },
      delete: { route: benefits.remove, isConfirmed: true },
    },
  },
  destinations: {
    about: "Event destinations of a community, which receive signed webhooks",
    commands: {
      list: { route: destinations.list, columns: ["id", "url", "events", "status", "disabled_reason"] },
      show: { route: destinations.show },
      create: { route: destinations.create },
      edit: { route: destinations.update },
      "rotate-secret": { route: destinations.rotateSecret },
      ping: { route: destinations.ping },
      deliveries: {
        route: destinations.deliveries,
        columns: ["id", "event_type", "event_id", "status", "attempts_made"],
      },
      resend: { route: destinations.resend, argument: "delivery_id" },
      delete: { route: destinations.remove, isConfirmed: true },
    },
  },
  events: {
    about: "Events of a community",
    commands: {
      list: { route: communities.events, columns: ["timestamp", "type", "subject", "sequence", "id"] },
      resend: { route: destinations.resendMany },
    },
  },
  members: {
    about: "Members of a community",
    commands: {
      list: {
        route: members.list,
        columns: [
          "id",
          "status",
          "is_blocked",
          "membership_tier.name",
          "user.email",
          "user.first_name",
          "user.last_name",
        ],
      },
      show: { route: members.show },
      edit: { route: members.update },
      block: { route: members.block },
      unblock: { route: members.unblock },
      refund: { route: members.issueRefund, isConfirmed: true },
      "refund-charge": { route: members.refundCharge, isConfirmed: true },
      cancel: { route: members.cancelSubscription, isConfirmed: true },
      uncancel: { route: members.uncancelSubscription, isConfirmed: true },
      change: { route: subscriptions.change, isConfirmed: true },
      "drop-change": { route: subscriptions.dropScheduledChange, isConfirmed: true },
      payments: {
        route: members.paymentHistory,
        columns: ["id", "created_at", "status", "total_cents", "amount_paid_cents", "charges.id"],
      },
      subscription: { route: members.subscriptionDetails },
      activity: { route: members.activity, columns: changes },
    },
  },
  transactions: {
    about: "Payments, refunds and disputes of a community",
    commands: {
      list: {
        route: communities.transactions,
        columns: ["day", "type", "status", "amount_cents", "member.name", "evidence_due_at", "id"],
      },
    },
  },
  movements: {
    about: "Who got or lost access to a community, and whose monthly amount changed",
    commands: {
      list: {
        route: communities.movements,
        columns: ["at", "access", "monthly.kind", "monthly.before_cents", "monthly.after_cents", "member.name"],
      },
    },
  },
  team: {
    about: "The team of a community: people with a role, and invitations",
    commands: {
      list: {
        route: team.list,
        columns: ["user.id", "role", "user.email", "user.first_name", "user.last_name", "created_at"],
      },
      role: { route: team.update, argument: "user_id" },
      remove: { route: team.remove, argument: "user_id", isConfirmed: true },
      invitations: { route: team.listInvitations, columns: ["id", "email", "role", "created_at", "expires_at"] },
      invite: { route: team.invite },
      accept: { route: team.accept },
      decline: { route: team.removeInvitation, isConfirmed: true },
    },
  },
  keys: {
    about: "API keys of a community, for servers",
    commands: {
      list: {
        route: keys.list,
        columns: ["id", "name", "role", "hint", "created_at", "last_used_at", "expires_at"],
      },
      create: { route: keys.create },
      revoke: { route: keys.remove, isConfirmed: true },
    },
  },
  brands: {
    about: "Brands of a producer",
    commands: {
      list: { route: brands.list, columns: ["id", "name", "updated_at"] },
      show: { route: brands.show },
      create: { route: brands.create },
      edit: { route: brands.update },
      activity: { route: brands.activity, columns: changes },
      delete: { route: brands.remove, isConfirmed: true },
    },
  },
  people: {
    about: "People: finding one, and the export and erasure of their data, for admins",
    commands: {
      list: { route: users.list, columns: ["id", "email", "first_name", "last_name"] },
      export: { route: users.data, hasFile: true },
      erase: { route: users.erase, isConfirmed: true },
    },
  },
};
