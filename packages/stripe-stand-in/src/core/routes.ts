import type Stripe from "stripe";
import * as v from "valibot";
import type { Account } from "./account.ts";
import * as balance from "./balance.ts";
import * as catalog from "./catalog.ts";
import * as checkout from "./checkout.ts";
import * as collection from "./collection.ts";
import * as customerDeletion from "./customer-deletion.ts";
import * as customers from "./customers.ts";
import * as eventList from "./event-list.ts";
import * as invoiceChanges from "./invoice-changes.ts";
import * as invoices from "./invoices.ts";
import { page, paging } from "./lists.ts";
import { find, named } from "./lookup.ts";
import { accountObject } from "./objects/account.ts";
import { idOf, type Reference } from "./objects/common.ts";
import { each, flag, read, text } from "./parameters.ts";
import * as methods from "./payment-methods.ts";
import * as pendingUpdates from "./pending-updates.ts";
import * as portal from "./portal.ts";
import * as configurations from "./portal-configurations.ts";
import * as preview from "./preview.ts";
import * as refunds from "./refunds.ts";
import * as scheduleChanges from "./schedule-changes.ts";
import * as schedules from "./schedules.ts";
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

/** A route about the object in the path. */
const member = <P>(
  key: Key,
  params: v.GenericSchema<unknown, P>,
  run: (account: Account, id: string, params: P) => object,
) => endpoint(key, params, (account, given, id) => run(account, id, given));

/** A route that returns an object. */
const show = (key: Key, kind: Kind) => member(key, Nothing, (account, id) => find(account, kind, id));

type Listed = v.InferOutput<typeof Paged>;
const Paged = v.strictObject(paging);

/** A route that returns a page of the objects that `keep` accepts. */
function index<K extends Kind, P extends Listed>(
  key: Key,
  kind: K,
  params: v.GenericSchema<unknown, P>,
  keep: (row: Tables[K], params: P) => boolean = matches,
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
  if (!kind || typeof id !== "string") return;
  if (kind === "customer" && account.faults.deleted_customer_lists === "refused") customers.named(account, id, param);
  else named(account, kind, id, param);
}

/** Whether an object's values and references match the parameters with the same names. */
function matches(row: object, params: object): boolean {
  const properties = row as Record<string, Reference>;
  return Object.entries(params).every(([name, asked]) => name in paging || is(asked, properties[name]));
}

/** Whether a reference matches a filter, if there is one. */
const is = (filter: unknown, value: Reference) => filter === undefined || filter === idOf(value);

const filters = <const Name extends string>(...names: Name[]) => ({ ...paging, ...each(v.optional(text), ...names) });
const ProductList = v.strictObject({ ...paging, active: v.optional(flag) });
const PriceList = v.strictObject({ ...filters("product"), active: v.optional(flag) });
const InvoiceList = v.strictObject({
  ...filters("customer", "subscription"),
  status: v.optional(v.picklist(["draft", "open", "paid", "uncollectible", "void"])),
});
const InvoicePaymentList = v.strictObject({
  ...filters("invoice"),
  payment: v.optional(v.strictObject({ type: v.picklist(["payment_intent"]), payment_intent: text })),
  status: v.optional(v.picklist(["canceled", "open", "paid"])),
});
const InvoiceItemList = v.strictObject({ ...filters("customer", "invoice"), pending: v.optional(flag) });
const SessionList = v.strictObject({
  ...filters("customer", "subscription"),
  status: v.optional(v.picklist(["complete", "expired", "open"])),
});

const isOnSale = (
  row: Stripe.Product | Stripe.Price,
  { active = row.active, ...params }: v.InferOutput<typeof ProductList>,
) => row.active === active && matches(row, params);

/** All routes under /v1. Each accepts only the parameters that have an effect in the stand-in. */
export const routes: readonly Route[] = [
  endpoint("GET /v1/account", Nothing, ({ id }) => accountObject(id)),

  endpoint("POST /v1/customers", customers.CustomerCreate, customers.create),
  index("GET /v1/customers", "customer", v.strictObject(filters("email")), (row, params) => {
    return !row.deleted && matches(row, params);
  }),
  show("GET /v1/customers/:id", "customer"),
  member("POST /v1/customers/:id", customers.CustomerUpdate, customers.update),
  member("DELETE /v1/customers/:id", Nothing, customerDeletion.remove),
  member("GET /v1/customers/:id/balance_transactions", balance.TransactionList, balance.list),
  member("POST /v1/customers/:id/balance_transactions", balance.Adjustment, balance.adjust),
  show("GET /v1/payment_methods/:id", "payment_method"),
  member("POST /v1/payment_methods/:id/attach", customers.CardAttach, (account, id, { customer }) => {
    return customers.attach(account, id, customers.named(account, customer).id);
  }),

  endpoint("GET /v1/payment_method_configurations", Paged, methods.listMethods),
  member("POST /v1/payment_method_configurations/:id", methods.MethodsUpdate, methods.updateMethods),

  endpoint("POST /v1/products", catalog.ProductCreate, catalog.createProduct),
  index("GET /v1/products", "product", ProductList, isOnSale),
  show("GET /v1/products/:id", "product"),
  member("POST /v1/products/:id", catalog.ProductUpdate, catalog.updateProduct),
  endpoint("POST /v1/prices", catalog.PriceCreate, catalog.createPrice),
  index("GET /v1/prices", "price", PriceList, isOnSale),
  show("GET /v1/prices/:id", "price"),
  member("POST /v1/prices/:id", catalog.PriceUpdate, catalog.updatePrice),

  endpoint("POST /v1/subscriptions", subscriptions.SubscriptionCreate, subscriptions.create),
  index("GET /v1/subscriptions", "subscription", subscriptions.SubscriptionList, subscriptions.isListed),
  show("GET /v1/subscriptions/:id", "subscription"),
  member("POST /v1/subscriptions/:id", changes.SubscriptionUpdate, changes.update),
  member("DELETE /v1/subscriptions/:id", changes.SubscriptionCancel, changes.cancel),

  endpoint("POST /v1/subscription_schedules", scheduleChanges.ScheduleCreate, scheduleChanges.create),
  index("GET /v1/subscription_schedules", "subscription_schedule", v.strictObject(filters("customer"))),
  show("GET /v1/subscription_schedules/:id", "subscription_schedule"),
  member("POST /v1/subscription_schedules/:id", scheduleChanges.ScheduleUpdate, scheduleChanges.update),
  member("POST /v1/subscription_schedules/:id/cancel", scheduleChanges.ScheduleCancel, scheduleChanges.cancel),
  member("POST /v1/subscription_schedules/:id/release", schedules.ScheduleRelease, schedules.release),

  index("GET /v1/invoices", "invoice", InvoiceList, (row, { subscription, ...params }) => {
    return is(subscription, invoices.subscriptionOf(row)) && matches(row, params);
  }),
  endpoint("POST /v1/invoices/create_preview", preview.PreviewCreate, preview.create),
  show("GET /v1/invoices/:id", "invoice"),
  member("POST /v1/invoices/:id", invoiceChanges.InvoiceUpdate, invoiceChanges.update),
  member("POST /v1/invoices/:id/finalize", invoiceChanges.InvoiceFinalization, invoiceChanges.finalize),
  member("POST /v1/invoices/:id/void", Nothing, pendingUpdates.voidInvoice),
  member("POST /v1/invoices/:id/pay", collection.InvoicePay, collection.pay),
  index("GET /v1/invoiceitems", "invoiceitem", InvoiceItemList, (row, { pending, ...params }) => {
    return (pending === undefined || pending === (row.invoice === null)) && matches(row, params);
  }),
  show("GET /v1/invoiceitems/:id", "invoiceitem"),
  index("GET /v1/invoice_payments", "invoice_payment", InvoicePaymentList, (row, { payment, ...params }) => {
    return is(payment?.payment_intent, row.payment.payment_intent) && matches(row, params);
  }),
  show("GET /v1/payment_intents/:id", "payment_intent"),
  index("GET /v1/charges", "charge", v.strictObject(filters("customer", "payment_intent"))),
  show("GET /v1/charges/:id", "charge"),

  endpoint("POST /v1/refunds", refunds.RefundCreate, refunds.create),
  index("GET /v1/refunds", "refund", v.strictObject(filters("charge", "payment_intent"))),
  show("GET /v1/refunds/:id", "refund"),
  member("POST /v1/refunds/:id", refunds.RefundUpdate, refunds.update),
  index("GET /v1/disputes", "dispute", v.strictObject(filters("charge", "payment_intent"))),
  show("GET /v1/disputes/:id", "dispute"),

  index("GET /v1/coupons", "coupon", Paged),
  show("GET /v1/coupons/:id", "coupon"),

  endpoint("POST /v1/checkout/sessions", checkout.SessionCreate, checkout.create),
  index("GET /v1/checkout/sessions", "checkout.session", SessionList),
  show("GET /v1/checkout/sessions/:id", "checkout.session"),
  member("POST /v1/checkout/sessions/:id/expire", Nothing, checkout.expire),
  endpoint("POST /v1/billing_portal/sessions", portal.PortalSessionCreate, portal.create),
  endpoint("POST /v1/billing_portal/configurations", configurations.ConfigurationCreate, (account, params) =>
    configurations.create(account, params),
  ),
  endpoint("GET /v1/billing_portal/configurations", configurations.ConfigurationList, configurations.list),
  show("GET /v1/billing_portal/configurations/:id", "billing_portal.configuration"),
  endpoint("POST /v1/billing_portal/configurations/:id", configurations.ConfigurationUpdate, (account, params, id) =>
    configurations.update(account, id, params),
  ),

  endpoint("GET /v1/events", eventList.EventList, eventList.list),
  show("GET /v1/events/:id", "event"),
  endpoint("POST /v1/webhook_endpoints", endpoints.EndpointCreate, endpoints.create),
  endpoint("GET /v1/webhook_endpoints", endpoints.EndpointList, endpoints.list),
  member("DELETE /v1/webhook_endpoints/:id", Nothing, endpoints.remove),
];

/** The route of a request, and the id in its path. Like at Stripe, a path with an empty id is that of the list. */
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

/** Decodes a segment of a path. A malformed escape is kept literally, so that no object is found. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
