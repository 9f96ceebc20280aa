import * as benefits from "#lib/contract/benefits.ts";
import * as brands from "#lib/contract/brands.ts";
import * as communities from "#lib/contract/communities.ts";
import * as destinations from "#lib/contract/destinations.ts";
import * as members from "#lib/contract/members.ts";
import type { Route } from "#lib/contract/route.ts";
import * as tiers from "#lib/contract/tiers.ts";
import * as users from "#lib/contract/users.ts";

/** A command that calls one route. Its arguments, options and help follow from the route. */
export type ApiCommand = {
  readonly route: Route;
  /** The path parameter that is the command's argument, `id` if not given. Other path parameters are options. */
  readonly argument?: string;
  /** Whether the command asks for confirmation, because it moves money or deletes something permanently. */
  readonly isConfirmed?: true;
  /** Whether the output can be written to a file that only the user can read. */
  readonly hasFile?: true;
};

type Group = { readonly about: string; readonly commands: Readonly<Record<string, ApiCommand>> };

/** Every command that calls one route, by its group. */
export const groups: Readonly<Record<string, Group>> = {
  communities: {
    about: "Communities and their figures",
    commands: {
      list: { route: communities.list },
      show: { route: communities.show },
      create: { route: communities.create },
      edit: { route: communities.update },
      stats: { route: communities.stats, argument: "community_id" },
      series: { route: communities.series, argument: "community_id" },
      activity: { route: communities.activity },
    },
  },
  tiers: {
    about: "Membership tiers of a community",
    commands: {
      list: { route: tiers.list },
      show: { route: tiers.show },
      create: { route: tiers.create },
      edit: { route: tiers.update },
      delete: { route: tiers.remove, isConfirmed: true },
    },
  },
  benefits: {
    about: "Benefits of a community",
    commands: {
      list: { route: benefits.list },
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
      list: { route: destinations.list },
      show: { route: destinations.show },
      create: { route: destinations.create },
      edit: { route: destinations.update },
      "rotate-secret": { route: destinations.rotateSecret },
      ping: { route: destinations.ping },
      deliveries: { route: destinations.deliveries },
      resend: { route: destinations.resend, argument: "delivery_id" },
      delete: { route: destinations.remove, isConfirmed: true },
    },
  },
  events: { about: "Events of a community", commands: { resend: { route: destinations.resendMany } } },
  members: {
    about: "Members of a community",
    commands: {
      list: { route: members.list },
      show: { route: members.show },
      edit: { route: members.update },
      block: { route: members.block },
      unblock: { route: members.unblock },
      refund: { route: members.issueRefund, isConfirmed: true },
      "refund-charge": { route: members.refundCharge, isConfirmed: true },
      cancel: { route: members.cancelSubscription, isConfirmed: true },
      uncancel: { route: members.uncancelSubscription, isConfirmed: true },
      payments: { route: members.paymentHistory },
      subscription: { route: members.subscriptionDetails },
      activity: { route: members.activity },
    },
  },
  brands: {
    about: "Brands of a producer",
    commands: {
      list: { route: brands.list },
      show: { route: brands.show },
      create: { route: brands.create },
      edit: { route: brands.update },
      activity: { route: brands.activity },
      delete: { route: brands.remove, isConfirmed: true },
    },
  },
  people: {
    about: "A person's data: export and erasure, for admins",
    commands: {
      export: { route: users.data, hasFile: true },
      erase: { route: users.erase, isConfirmed: true },
    },
  },
};
