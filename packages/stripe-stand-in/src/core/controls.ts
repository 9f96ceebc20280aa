import * as v from "valibot";
import type { Account } from "./account.ts";
import type { LoggedRequest } from "./api.ts";
import { Completion, complete } from "./checkout-completion.ts";
import { advance, catchUp } from "./clock.ts";
import * as dashboard from "./dashboard.ts";
import type { DeliveryQueue } from "./delivery-queue.ts";
import { DisputeStatus, dispute } from "./disputes.ts";
import { ApiFailure, isKept } from "./failure.ts";
import { inject, noFaults, Refusal } from "./faults.ts";
import type { StripeRequest, StripeResponse } from "./http.ts";
import { RefundStatus } from "./objects/refund.ts";
import { day } from "./periods.ts";
import { resources } from "./permissions.ts";
import * as refunds from "./refunds.ts";
import { emptyState, type Kind } from "./state.ts";
import { isOwn, sendTo } from "./webhook-endpoints.ts";

export type ControlContext = {
  readonly account: Account;
  readonly deliveries: DeliveryQueue;
  readonly log: LoggedRequest[];
};
type Control = (context: ControlContext, input: unknown, id: string) => unknown;

/** A control that changes the account, in one transaction. */
const acting =
  <P>(schema: v.GenericSchema<unknown, P>, act: (account: Account, given: P, id: string) => object | void): Control =>
  ({ account }, input, id) => {
    const given = v.parse(schema, input);
    return account.transact(() => act(account, given, id), { isKept }) ?? {};
  };

const Advance = v.strictObject({ days: v.pipe(v.number(), v.minValue(0), v.maxValue(3660)) });
const Dispute = v.strictObject({ charge: v.string(), status: v.optional(DisputeStatus, "needs_response") });
const Refund = v.strictObject({
  charge: v.string(),
  amount: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
});
const permission = resources.flatMap((resource) => [`${resource}:read`, `${resource}:write`] as const);
const Keys = v.strictObject({ permissions: v.optional(v.array(v.picklist(permission))) });
const Roll = v.strictObject({ expires_in_hours: v.optional(v.pipe(v.number(), v.minValue(0)), 0) });
const Webhook = v.strictObject({ url: v.string(), secret: v.pipe(v.string(), v.nonEmpty()) });
const Deliver = v.strictObject({ dropped: v.optional(v.boolean(), false) });

/** Controls under `/_fake/` that only the stand-in has: the clock, faults, and actions of the dashboard and the bank. */
const controls: Readonly<Record<string, Control>> = {
  "POST advance": ({ account }, input) => {
    advance(account, v.parse(Advance, input).days * day);
    return { now: account.now() };
  },
  "POST faults": ({ account }, input) => inject(account.faults, input),
  "POST refuse": ({ account }, input) => Object.assign(account.faults, { refuse: v.parse(Refusal, input) }),
  "POST keys": acting(Keys, (account, { permissions }) => makeKey(account, permissions)),
  "POST keys/:id/roll": acting(Roll, (account, { expires_in_hours }, id) => {
    account.put("rolled_key", { id, expires_at: account.now() + expires_in_hours * 3600 });
    return makeKey(account, account.get("restricted_key", id)?.permissions);
  }),
  "POST refunds/:id": acting(v.strictObject({ status: RefundStatus }), (account, { status }, id) =>
    refunds.settle(account, id, status),
  ),
  "POST disputes": acting(Dispute, (account, { charge, status }) => dispute(account, charge, status)),
  "POST refund": acting(Refund, refunds.create),
  "POST customers/:id": acting(dashboard.CustomerDeletion, dashboard.deleteCustomer),
  "POST charges": acting(dashboard.OneOffCharge, dashboard.charge),
  "POST subscriptions": acting(dashboard.NewSubscription, dashboard.subscribe),
  "POST subscriptions/:id": acting(dashboard.SubscriptionChange, dashboard.changeSubscription),
  "POST invoices/:id": acting(dashboard.PaidElsewhere, dashboard.payElsewhere),
  "POST checkout/:id/complete": acting(Completion, (account, given, id) => complete(account, id, given)),
  "GET requests": ({ log }) => log,
  "DELETE requests": ({ log }) => log.splice(0) && {},
  "POST webhook": acting(Webhook, sendTo),
  "POST deliver": async ({ deliveries }, input) => {
    await deliveries.deliverNow(v.parse(Deliver, input));
    return {};
  },
  "POST reset": ({ account, log }) => {
    reset(account);
    log.splice(0);
    return {};
  },
};

/** Makes a restricted key. Without permissions, makes a secret key, which may do everything. */
function makeKey(account: Account, permissions?: readonly string[]): { readonly key: string } {
  const key = account.newId(permissions ? "rk_test" : "sk_test");
  if (permissions) account.put("restricted_key", { id: key, permissions });
  return { key };
}

/** @returns the response of a control, or undefined if there is none of this name */
export async function control(
  context: ControlContext,
  { method, body }: StripeRequest,
  path: string,
): Promise<StripeResponse | undefined> {
  const [first = "", id = "", ...rest] = path.split("/");
  const name = [first, ...(id === "" ? [] : [":id"]), ...rest].join("/");
  const run = controls[`${method} ${name}`];
  if (!run) return undefined;
  try {
    const input: unknown = body === "" ? {} : JSON.parse(body);
    catchUp(context.account);
    return json(200, await run(context, input, id));
  } catch (failure) {
    if (failure instanceof ApiFailure) return json(failure.status, failure.body);
    if (failure instanceof SyntaxError || v.isValiError(failure))
      return json(400, { error: { message: failure.message } });
    throw failure;
  }
}

const json = (status: number, body: unknown): StripeResponse => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body, (_, value: unknown) => (value === Number.POSITIVE_INFINITY ? true : value)),
});

/** Removes everything except the webhook endpoint of `POST /_fake/webhook`. */
function reset(account: Account): void {
  Object.assign(account.faults, noFaults());
  account.transact(() => {
    for (const kind of Object.keys(emptyState()) as Kind[])
      for (const { id } of account.rows(kind)) if (!isOwn(id)) account.remove(kind, id);
  });
}
