import type Stripe from "stripe";
import * as v from "valibot";
import type { Account } from "./account.ts";
import { type Completion, complete } from "./checkout-completion.ts";
import { catchUp } from "./clock.ts";
import * as customers from "./customers.ts";
import { ApiFailure, isKept } from "./failure.ts";
import { document, type Html, html } from "./html.ts";
import type { StripeRequest, StripeResponse } from "./http.ts";
import { dateOf, invoiceList, invoicePage, linesOf, payInvoice } from "./invoice-page.ts";
import { find } from "./lookup.ts";
import { money } from "./money.ts";
import { idOf } from "./objects/common.ts";
import { pdf } from "./pdf.ts";
import * as portal from "./portal.ts";
import { endsAtOnce, isAllowed } from "./portal-configurations.ts";

/** @returns a hosted page, of Checkout, the customer portal or an invoice, or undefined for another path */
export function hostedPage(account: Account, request: StripeRequest, path: string): StripeResponse | undefined {
  const [kind, id = "", action] = path.split("/");
  const isForm = request.method === "POST" && isFilledIn(request);
  if (request.method !== "GET" && !isForm) return undefined;
  const form = new URLSearchParams(isForm ? request.body : "");
  try {
    catchUp(account);
    if (kind === "checkout" && isForm && action === "complete") return paid(account, id, form);
    if (kind === "checkout" && !isForm && action === undefined)
      return page(200, checkoutPage(account, find(account, "checkout.session", id)));
    if (kind === "invoice") return invoiceResponse(account, { id, action, form: isForm ? form : undefined });
    if (kind === "portal" && action === undefined) {
      if (isForm)
        account.transact(() => portal.act(account, id, v.parse(portal.PortalAction, Object.fromEntries(form))));
      return isForm
        ? redirect(`/_fake/portal/${id}`)
        : page(200, portalPage(account, find(account, "billing_portal.session", id)));
    }
    return undefined;
  } catch (failure) {
    if (failure instanceof ApiFailure) return page(failure.status, document("Not possible", alert(failure.message)));
    if (v.isValiError(failure)) return page(400, document("Not possible", alert(failure.message)));
    throw failure;
  }
}

/** Whether a request submits the form of a page. Programs post JSON, some without a JSON content type. */
const isFilledIn = ({ headers, body }: StripeRequest) =>
  headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true && !body.startsWith("{");

function paid(account: Account, id: string, form: URLSearchParams): StripeResponse {
  const session = find(account, "checkout.session", id);
  try {
    account.transact(() => complete(account, id, completionOf(session, form)), { isKept });
  } catch (failure) {
    if (!(failure instanceof ApiFailure)) throw failure;
    return page(failure.status, checkoutPage(account, find(account, "checkout.session", id), alert(failure.message)));
  }
  return redirect((session.success_url ?? "").replaceAll("{CHECKOUT_SESSION_ID}", id));
}

type InvoiceRequest = {
  readonly id: string;
  readonly action: string | undefined;
  /** The submitted form, if there is one. */
  readonly form: URLSearchParams | undefined;
};

function invoiceResponse(account: Account, { id, action, form }: InvoiceRequest): StripeResponse | undefined {
  const shown = (status: number, message: Html = html``) => {
    const invoice = find(account, "invoice", id);
    return page(status, document(`Invoice ${invoice.number ?? ""}`, html`${message}${invoicePage(invoice)}`));
  };
  if (action === "pdf" && !form) {
    const invoice = find(account, "invoice", id);
    const body = pdf([`Invoice ${invoice.number ?? ""}`, ...linesOf(invoice)]);
    return { status: 200, headers: { "content-type": "application/pdf" }, body };
  }
  if (action !== undefined) return undefined;
  if (!form) return shown(200);
  try {
    account.transact(() => payInvoice(account, id, { isDeclined: form.get("card") === "declined" }), { isKept });
  } catch (failure) {
    if (!(failure instanceof ApiFailure)) throw failure;
    return shown(failure.status, alert(failure.message));
  }
  return redirect(`/_fake/invoice/${id}`);
}

function completionOf(session: Stripe.Checkout.Session, form: URLSearchParams): Completion {
  const { name, email, ...address } = Object.fromEntries(form);
  const { line1, line2, city, state, postal_code, country = "" } = address;
  return {
    ...(name && { name }),
    ...(email && { email }),
    ...(session.shipping_address_collection && {
      shipping: { name: name ?? "", address: { line1, line2, city, state, postal_code, country } },
    }),
    decline: form.get("card") === "declined",
  };
}

function checkoutPage(account: Account, session: Stripe.Checkout.Session, message: Html = html``): string {
  if (session.status !== "open")
    return document("Checkout", html`${message}<p>This checkout is ${session.status}.</p>`);
  const order = account.get("order", session.id);
  const price = account.get("price", order?.price);
  const product = account.get("product", price?.product);
  const customer = account.get("customer", session.customer);
  const known = customer && !customer.deleted ? customer : undefined;
  const total = money((price?.unit_amount ?? 0) * (order?.quantity ?? 1), price?.currency ?? "usd");
  const isTrial = order?.trialDays !== null;
  const countries = session.shipping_address_collection?.allowed_countries;
  return document(
    `Subscribe to ${product?.name ?? ""}`,
    html`${message}
<p>${total} every ${price?.recurring?.interval}${isTrial ? ", after a trial that costs nothing" : ""}.</p>
<form method="post" action="/_fake/checkout/${session.id}/complete">
${field("email", "E-mail", "email", known?.email ?? session.customer_email)}
${field("name", "Name", "name", known?.name)}
${countries ? addressForm(known?.shipping ?? null, countries) : html``}
<button class="main" name="card" value="paid">${isTrial ? "Start the trial" : `Pay ${total}`}</button>
<button name="card" value="declined">Pay with a card that is declined</button>
</form>
${session.cancel_url === null ? html`` : html`<p><a href="${session.cancel_url}">Go back without paying</a></p>`}`,
  );
}

function portalPage(
  account: Account,
  { id, configuration: configurationId, customer: customerId, return_url: returnUrl }: Stripe.BillingPortal.Session,
) {
  const configuration = find(account, "billing_portal.configuration", idOf(configurationId) ?? "");
  const customer = customers.find(account, customerId);
  const subscriptions = portal.liveSubscriptions(account, customerId).map((subscription) => {
    const [item] = subscription.items.data;
    const ends = subscription.cancel_at;
    const cancelLabel = endsAtOnce(configuration) ? "Cancel now" : `Cancel on ${dateOf(item?.current_period_end ?? 0)}`;
    const form =
      ends === null
        ? cancellationForm(subscription.id, "cancel", cancelLabel)
        : cancellationForm(subscription.id, "keep", "Do not cancel");
    return html`<section>
<h2>${account.get("product", item?.price.product)?.name}</h2>
<p>${money(item?.price.unit_amount ?? 0, subscription.currency)} every ${item?.plan.interval}, ${subscription.status}${ends === null ? "" : `, ends on ${dateOf(ends)}`}.</p>
${isAllowed(configuration, "cancel") ? form : html``}
</section>`;
  });
  return document(
    "Your subscriptions",
    html`${subscriptions.length > 0 ? subscriptions : html`<p>There are none.</p>`}
${isAllowed(configuration, "card") ? cardSection(account, id, customer) : html``}
${isAllowed(configuration, "ship_to") ? shippingSection(id, customer) : html``}
${isAllowed(configuration, "invoices") ? html`<section><h2>Invoices</h2>${invoiceList(account, customerId)}</section>` : html``}
${returnUrl === null ? html`` : html`<p><a href="${returnUrl}">Return</a></p>`}`,
  );
}

const cancellationForm = (subscription: string, action: "cancel" | "keep", label: string): Html =>
  html`<form method="post"><input type="hidden" name="subscription" value="${subscription}">
<button name="action" value="${action}">${label}</button>
</form>`;

function cardSection(account: Account, session: string, { id, invoice_settings: settings }: Stripe.Customer): Html {
  const [subscription] = portal.liveSubscriptions(account, id);
  const current = settings.default_payment_method ?? subscription?.default_payment_method;
  const card = account.get("payment_method", idOf(current))?.card;
  return html`<section>
<h2>Card</h2>
<p>${card ? `Ends in ${card.last4}.` : "There is none."} Due invoices are retried later, or paid on their page.</p>
<form method="post" action="/_fake/portal/${session}"><input type="hidden" name="action" value="card">
<button name="card" value="visa">Change to a card that works</button>
<button name="card" value="chargeCustomerFail">Change to a card that is declined</button>
</form>
</section>`;
}

const shippingSection = (session: string, { name, shipping }: Stripe.Customer): Html => html`<section>
<h2>Shipping address</h2>
<form method="post" action="/_fake/portal/${session}">
${field("name", "Name", "name", shipping?.name ?? name)}
${addressForm(shipping ?? null)}
<button class="main" name="action" value="ship_to">Save the address</button>
</form>
</section>`;

function addressForm(shipping: Stripe.Customer.Shipping | null, countries?: readonly string[]): Html {
  const { line1, line2, city, state, postal_code: code, country } = shipping?.address ?? {};
  const options = countries?.map(
    (name) => html`<option${name === country ? html` selected` : html``}>${name}</option>`,
  );
  return html`<fieldset>
<legend>Where to ship to</legend>
${field("line1", "Address", "address-line1", line1)}
${field("line2", "Apartment, suite", "address-line2", line2)}
${field("city", "City", "address-level2", city)}
${field("state", "State", "address-level1", state)}
${field("postal_code", "Postal code", "postal-code", code)}
${
  options
    ? html`<label for="country">Country</label><select id="country" name="country" autocomplete="country">${options}</select>`
    : field("country", "Country, two letters", "country", country)
}
</fieldset>`;
}

const field = (name: string, label: string, autocomplete: string, value?: string | null) =>
  html`<label for="${name}">${label}</label><input id="${name}" name="${name}" autocomplete="${autocomplete}" value="${value}">`;

const alert = (message: string) => html`<p class="alert" role="alert">${message}</p>`;

const page = (status: number, body: string): StripeResponse => ({
  status,
  headers: { "content-type": "text/html; charset=utf-8" },
  body,
});

const redirect = (to: string): StripeResponse => ({ status: 303, headers: { location: to }, body: "" });
