import * as v from "valibot";
import type { Account } from "./account.ts";
import * as catalog from "./catalog.ts";
import * as checkout from "./checkout.ts";
import * as collection from "./collection.ts";
import * as customers from "./customers.ts";
import * as disputes from "./disputes.ts";
import * as eventList from "./event-list.ts";
import { noSuch, notFound } from "./failure.ts";
import * as invoices from "./invoices.ts";
import { page, paging } from "./lists.ts";
import { idOf, type Reference } from "./objects/common.ts";
import { read, text } from "./parameters.ts";
import * as portal from "./portal.ts";
import * as refunds from "./refunds.ts";
import type { Kind, Tables } from "./state.ts";
import * as changes from "./subscription-changes.ts";
import * as subscriptions from "./subscriptions.ts";
import * as endpoints from "./webhook-endpoints.ts";

export type Operation = (account: Account) => object;

export type Route = {
  readonly method: string;
  readonly path: string;
  /** Parses the parameters, and returns the operation to run. */
  readonly prepare: (parameters: Record<string, unknown>, id: string) => Operation;
};

type Key = `${"GET" | "POST" | "DELETE"} /v1/${string}`;

function endpoint<P>(
  key: Key,
  params: v.GenericSchema<unknown, P>,
  run: (account: Account, params: P, id: string) => object,
) {
  const [method = "", path = ""] = key.split(" ");
  const prepare: Route["prepare"] = (parameters, id) => {
    const given = read(params, parameters);
    return (account) => run(account, given, id);
  };
  return { method, path, prepare } satisfies Route;
}

const Nothing = v.strictObject({});

/** A route that returns an object. */
const show = (key: Key, kind: Kind) =>
  endpoint(key, Nothing, (account, _, id) => {
    const object = account.get(kind, id);
    if (!object) throw notFound(kind, id);
    return object;
  });

type Listed = v.InferOutput<typeof Paged>;
const Paged = v.strictObject(paging);

/** A route that returns a page of the objects that `keep` accepts. */
function index<K extends Kind, P extends Listed>(
  key: Key,
  kind: K,
  params: v.GenericSchema<unknown, P>,
  keep: (row: Tables[K], params: P) => boolean,
) {
  const url = key.slice("GET ".length);
  return endpoint(key, params, (account, given) => {
    for (const [param, id] of Object.entries(given)) assertThere(account, param, id);
    return page(account, { kind, url, params: given, keep: (row) => keep(row, given) });
  });
}

const referable = ["customer", "subscription", "invoice", "charge", "payment_intent"] as const;

/** @throws ApiFailure if a list is filtered by an object that does not exist */
function assertThere(account: Account, param: string, id: unknown): void {
  const kind = referable.find((candidate) => candidate === param);
  if (kind && typeof id === "string" && !account.get(kind, id)) throw noSuch(kind, id, param);
}

/** Whether a reference is the one that was asked for, if any. */
const is = (asked: string | undefined, value: Reference) => asked === undefined || asked === idOf(value);

const ChargeList = v.strictObject({ ...paging, customer: v.optional(text), payment_intent: v.optional(text) });

/** All routes under /v1. Each takes only the parameters that have an effect here. */
const routes: readonly Route[] = [
  endpoint("POST /v1/customers", customers.CustomerCreate, customers.create),
  index(
    "GET /v1/customers",
    "customer",
    customers.CustomerList,
    (row, { email }) => !row.deleted && is(email, row.email),
  ),
  show("GET /v1/customers/:id", "customer"),
  endpoint("POST /v1/customers/:id", customers.CustomerUpdate, (account, params, id) =>
    customers.update(account, id, params),
  ),
  endpoint("DELETE /v1/customers/:id", Nothing, (account, _, id) => customers.remove(account, id)),
  show("GET /v1/payment_methods/:id", "payment_method"),
  endpoint("POST /v1/payment_methods/:id/attach", customers.CardAttach, (account, params, id) => {
    return customers.attach(account, id, customers.named(account, params.customer).id);
  }),

  endpoint("POST /v1/products", catalog.ProductCreate, catalog.createProduct),
  show("GET /v1/products/:id", "product"),
  endpoint("POST /v1/products/:id", catalog.ProductUpdate, (account, params, id) =>
    catalog.updateProduct(account, id, params),
  ),
  endpoint("POST /v1/prices", catalog.PriceCreate, catalog.createPrice),
  show("GET /v1/prices/:id", "price"),
  endpoint("POST /v1/prices/:id", catalog.PriceUpdate, (account, params, id) =>
    catalog.updatePrice(account, id, params),
  ),

  endpoint("POST /v1/subscriptions", subscriptions.SubscriptionCreate, subscriptions.create),
  index("GET /v1/subscriptions", "subscription", subscriptions.SubscriptionList, subscriptions.isListed),
  show("GET /v1/subscriptions/:id", "subscription"),
  endpoint("POST /v1/subscriptions/:id", changes.SubscriptionUpdate, (account, params, id) => {
    return changes.update(account, id, params);
  }),
  endpoint("DELETE /v1/subscriptions/:id", changes.SubscriptionCancel, (account, params, id) => {
    return changes.cancel(account, id, params);
  }),

  index("GET /v1/invoices", "invoice", invoices.InvoiceList, (row, { customer, subscription, status }) => {
    return is(customer, row.customer) && is(subscription, invoices.subscriptionOf(row)) && is(status, row.status);
  }),
  show("GET /v1/invoices/:id", "invoice"),
  endpoint("POST /v1/invoices/:id/pay", collection.InvoicePay, (account, params, id) =>
    collection.pay(account, id, params),
  ),
  index(
    "GET /v1/invoice_payments",
    "invoice_payment",
    invoices.InvoicePaymentList,
    (row, { invoice, payment, status }) => {
      const intent = row.payment.payment_intent;
      return is(invoice, row.invoice) && is(payment?.payment_intent, intent) && is(status, row.status);
    },
  ),
  show("GET /v1/payment_intents/:id", "payment_intent"),
  index("GET /v1/charges", "charge", ChargeList, (row, { customer, payment_intent: intent }) => {
    return is(customer, row.customer) && is(intent, row.payment_intent);
  }),
  show("GET /v1/charges/:id", "charge"),

  endpoint("POST /v1/refunds", refunds.RefundCreate, refunds.create),
  index("GET /v1/refunds", "refund", refunds.RefundList, (row, { charge, payment_intent: intent }) => {
    return is(charge, row.charge) && is(intent, row.payment_intent);
  }),
  show("GET /v1/refunds/:id", "refund"),
  endpoint("POST /v1/refunds/:id", refunds.RefundUpdate, (account, params, id) => refunds.update(account, id, params)),
  index("GET /v1/disputes", "dispute", disputes.DisputeList, (row, { charge, payment_intent: intent }) => {
    return is(charge, row.charge) && is(intent, row.payment_intent);
  }),
  show("GET /v1/disputes/:id", "dispute"),

  endpoint("POST /v1/checkout/sessions", checkout.SessionCreate, checkout.create),
  index(
    "GET /v1/checkout/sessions",
    "checkout.session",
    checkout.SessionList,
    (row, { customer, subscription, status }) => {
      return is(customer, row.customer) && is(subscription, row.subscription) && is(status, row.status);
    },
  ),
  show("GET /v1/checkout/sessions/:id", "checkout.session"),
  endpoint("POST /v1/checkout/sessions/:id/expire", Nothing, (account, _, id) => checkout.expire(account, id)),
  endpoint("POST /v1/billing_portal/sessions", portal.PortalSessionCreate, portal.create),

  endpoint("GET /v1/events", eventList.EventList, eventList.list),
  show("GET /v1/events/:id", "event"),
  endpoint("POST /v1/webhook_endpoints", endpoints.EndpointCreate, endpoints.create),
  endpoint("GET /v1/webhook_endpoints", endpoints.EndpointList, endpoints.list),
  endpoint("DELETE /v1/webhook_endpoints/:id", Nothing, (account, _, id) => endpoints.remove(account, id)),
];

/** The route of a request, and the id in its path. As with Stripe, a path with an empty id is the list's. */
export function match(method: string, path: string): { route: Route; id: string } | undefined {
  const segments = path.replace(/\/$/, "").split("/");
  for (const route of routes) {
    const pattern = route.path.split("/");
    const fits =
      pattern.length === segments.length && pattern.every((part, n) => part === ":id" || part === segments[n]);
    if (fits && route.method === method) return { route, id: decoded(segments[pattern.indexOf(":id")] ?? "") };
  }
  return undefined;
}

/** A malformed escape is taken literally, and names nothing. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
