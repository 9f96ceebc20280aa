import type { Account } from "./account.ts";
import { invalid } from "./failure.ts";
import { newest } from "./lists.ts";
import { list } from "./objects/common.ts";
import type { Kind } from "./state.ts";

/** Properties that hold the id of another object, by the kind of object they belong to. */
const links: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  charge: { customer: "customer", payment_intent: "payment_intent" },
  "checkout.session": { customer: "customer", invoice: "invoice", subscription: "subscription" },
  customer: { "invoice_settings.default_payment_method": "payment_method" },
  discount: { "source.coupon": "coupon" },
  dispute: { charge: "charge", payment_intent: "payment_intent" },
  invoice: { customer: "customer", "parent.subscription_details.subscription": "subscription" },
  customer_balance_transaction: { customer: "customer", invoice: "invoice" },
  invoiceitem: { customer: "customer", invoice: "invoice" },
  invoice_payment: { invoice: "invoice", "payment.payment_intent": "payment_intent" },
  line_item: { "pricing.price_details.price": "price", subscription: "subscription" },
  payment_intent: { customer: "customer", latest_charge: "charge", payment_method: "payment_method" },
  payment_method: { customer: "customer" },
  plan: { product: "product" },
  price: { product: "product" },
  product: { default_price: "price" },
  refund: {
    charge: "charge",
    customer: "customer",
    payment_intent: "payment_intent",
    payment_method: "payment_method",
  },
  subscription: {
    customer: "customer",
    default_payment_method: "payment_method",
    discounts: "discount",
    latest_invoice: "invoice",
    schedule: "subscription_schedule",
  },
  subscription_schedule: { customer: "customer", subscription: "subscription" },
};

/** Properties that are included only on request. */
const included: Readonly<Record<string, (account: Account, id: string) => object | number>> = {
  "charge.refunds": (account, id) => {
    const refunds = newest(account, "refund", ({ charge }) => charge === id);
    return list(`/v1/charges/${id}/refunds`, refunds.slice(0, 10), refunds.length > 10);
  },
  "customer.subscriptions": (account, id) => {
    const live = newest(account, "subscription", ({ customer, status }) => customer === id && status !== "canceled");
    return list(`/v1/customers/${id}/subscriptions`, live.slice(0, 10), live.length > 10);
  },
  "invoice.amount_paid_off_stripe": (account, id) =>
    [...account.rows("invoice_payment")]
      .filter(({ invoice, payment }) => invoice === id && payment.type === "payment_record")
      .reduce((sum, { amount_paid }) => sum + (amount_paid ?? 0), 0),
  "invoice.payments": (account, id) => {
    const payments = newest(account, "invoice_payment", ({ invoice }) => invoice === id);
    return list("/v1/invoice_payments", payments.slice(0, 10), payments.length > 10);
  },
};

/**
 * Replaces ids in a response by objects, as `expand` requests.
 * @throws ApiFailure for a path of more than four levels, or for a property that is not a reference
 */
export function expanded(account: Account, answer: object, paths: readonly string[]): object {
  return paths.reduce((value, path) => {
    const segments = path.split(".");
    if (segments.length > 4) {
      throw invalid(`You cannot expand more than 4 levels of a property. Property: ${path}`, {
        code: "property_expansion_max_depth",
      });
    }
    return inside(account, value, { path, segments, kind: "", trail: "" });
  }, answer);
}

type Step = {
  readonly path: string;
  readonly segments: readonly string[];
  /** The kind of object that the value belongs to, and the path from that object to the value. */
  readonly kind: string;
  readonly trail: string;
};

function inside(account: Account, value: object, step: Step): object {
  const [segment, ...segments] = step.segments;
  if (segment === undefined) return value;
  if (Array.isArray(value)) return value.map((entry: object) => inside(account, entry, step));

  const properties = new Map<string, unknown>(Object.entries(value));
  const object = properties.get("object");
  const [kind, trail] = typeof object === "string" ? [object, segment] : [step.kind, `${step.trail}.${segment}`];
  const child = resolved(account, { kind, trail, id: String(properties.get("id")), value: properties.get(segment) });
  if (child === null) return value;
  if (typeof child === "number" && segments.length === 0 && included[`${kind}.${trail}`])
    return { ...value, [segment]: child };
  if (typeof child !== "object") throw notExpandable(step.path);
  if (segments.length === 0 && !("object" in child) && !Array.isArray(child)) throw notExpandable(step.path);
  return { ...value, [segment]: inside(account, child, { ...step, segments, kind, trail }) };
}

type Property = { readonly kind: string; readonly trail: string; readonly id: string; readonly value: unknown };

/** The object or list that a property refers to, or null if it refers to none. */
function resolved(account: Account, { kind, trail, id, value }: Property): unknown {
  const target = links[kind]?.[trail];
  if (target && Array.isArray(value)) return value.map((reference: string) => account.get(target, reference));
  if (target) return typeof value === "string" ? account.get(target, value) : (value ?? null);
  return value ?? included[`${kind}.${trail}`]?.(account, id);
}

const notExpandable = (path: string) => invalid(`This property cannot be expanded (${path}).`, { param: "expand" });
