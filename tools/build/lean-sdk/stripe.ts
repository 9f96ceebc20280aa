import type { Resource } from "#lib/billing/stripe.ts";
import type { Cut } from "./cut.ts";

const client = "stripe/esm/stripe.esm.node.js";

const used = Object.keys({
  billingPortal: true,
  charges: true,
  checkout: true,
  customers: true,
  events: true,
  invoices: true,
  prices: true,
  products: true,
  refunds: true,
  subscriptionSchedules: true,
  subscriptions: true,
} satisfies Record<Resource, true>);

export const stripeCuts: readonly Cut[] = [
  {
    why: "Of Stripe's many resources eleven are asked, and the type of who asks has no others.",
    edits: [
      [client, new RegExp(`^ *this\\.(?!(?:${used.join("|")}) )\\w+ = new \\w+\\(this\\);\\n`, "gm"), "", 65],
      [client, "this.account = this.accounts;", ""],
      [client, /for \(const name in resources\) \{[^]*?\n {8}\}\n/g, ""],
      [client, "Stripe.resources = resources;", ""],
      [client, /^import (?:\* as resources|\{ OAuthResource \}) from '.\/resources.js';\n/gm, "", 2],
      ["stripe/esm/resources/BillingPortal/index.js", "this.configurations = new ConfigurationResource(stripe);", ""],
    ],
  },
  {
    why: "A function asks with Node's own HTTP client, not with fetch, and nothing stands in for its modules.",
    edits: [
      ["stripe/esm/net/NodeHttpClient.js", "http_.default || http_;", "http_.default;"],
      ["stripe/esm/net/NodeHttpClient.js", "https_.default || https_;", "https_.default;"],
      ["stripe/esm/platform/PlatformFunctions.js", "return new FetchHttpClient(fetchFn);", ""],
    ],
  },
  {
    why: "Our webhook takes events, not the notifications that Stripe sends of its newer API.",
    edits: [
      [
        client,
        /^ {4}(?:notificationHandler\w*|(?:async )?parseEventNotification\w*|_buildEventNotification)\([^]*?^ {4}\}\n/gm,
        "",
        6,
      ],
    ],
  },
];
