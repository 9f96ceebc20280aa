import * as v from "valibot";
import type { Account } from "./account.ts";
import type { LoggedRequest } from "./api.ts";
import * as checkout from "./checkout-completion.ts";
import { advance, catchUp } from "./clock.ts";
import type { DeliveryQueue } from "./delivery-queue.ts";
import { DisputeStatus, dispute } from "./disputes.ts";
import { ApiFailure, isKept } from "./failure.ts";
import { FaultsPatch, noFaults } from "./faults.ts";
import type { StripeRequest, StripeResponse } from "./http.ts";
import { day } from "./periods.ts";
import * as refunds from "./refunds.ts";
import { emptyState, type Kind } from "./state.ts";
import { isOwn, sendTo } from "./webhook-endpoints.ts";

export type ControlContext = {
  readonly account: Account;
  readonly deliveries: DeliveryQueue;
  readonly log: LoggedRequest[];
};
type Control = (context: ControlContext, input: unknown, id: string) => unknown;

const Advance = v.strictObject({ days: v.pipe(v.number(), v.minValue(0), v.maxValue(3660)) });
const RefundStatus = v.picklist(["pending", "requires_action", "succeeded", "failed", "canceled"]);
const Settle = v.strictObject({ status: RefundStatus });
const Dispute = v.strictObject({ charge: v.string(), status: v.optional(DisputeStatus, "needs_response") });
const Refund = v.strictObject({
  charge: v.string(),
  amount: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
});
const Refuse = v.strictObject({ code: v.pipe(v.string(), v.nonEmpty()) });
const Webhook = v.strictObject({ url: v.string(), secret: v.pipe(v.string(), v.nonEmpty()) });
const Deliver = v.strictObject({ dropped: v.optional(v.boolean(), false) });

/** What only a stand-in can do, under `/_fake/`: move the clock, inject faults, and act as the dashboard and the bank. */
const controls: Readonly<Record<string, Control>> = {
  "POST advance": ({ account }, input) => {
    advance(account, v.parse(Advance, input).days * day);
    return { now: account.now() };
  },
  "POST faults": ({ account }, input) => Object.assign(account.faults, v.parse(FaultsPatch, input)),
  "POST refuse": ({ account }, input) => Object.assign(account.faults, { refuse: v.parse(Refuse, input).code }),
  "POST refunds/:id": ({ account }, input, id) => {
    const { status } = v.parse(Settle, input);
    return account.transact(() => refunds.settle(account, id, status));
  },
  "POST disputes": ({ account }, input) => {
    const { charge, status } = v.parse(Dispute, input);
    return account.transact(() => dispute(account, charge, status));
  },
  "POST refund": ({ account }, input) => {
    const refund = v.parse(Refund, input);
    return account.transact(() => refunds.create(account, refund));
  },
  "POST checkout/:id/complete": ({ account }, input, id) => {
    const completion = v.parse(checkout.Completion, input);
    return account.transact(() => checkout.complete(account, id, completion), { isKept });
  },
  "GET requests": ({ log }) => log,
  "DELETE requests": ({ log }) => log.splice(0) && {},
  "POST webhook": ({ account }, input) => {
    const webhook = v.parse(Webhook, input);
    account.transact(() => sendTo(account, webhook));
    return {};
  },
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

/** Removes everything but the webhook endpoint that `POST /_fake/webhook` has set. */
function reset(account: Account): void {
  Object.assign(account.faults, noFaults());
  account.transact(() => {
    for (const kind of Object.keys(emptyState()) as Kind[])
      for (const { id } of account.rows(kind)) if (!isOwn(id)) account.remove(kind, id);
  });
}
