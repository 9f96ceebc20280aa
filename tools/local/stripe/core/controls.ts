import * as v from "valibot";
import type { HttpAnswer, HttpRequest } from "../../loopback.ts";
import type { Account } from "./account.ts";
import type { Asked } from "./api.ts";
import * as checkout from "./checkout-completion.ts";
import { advance, catchUp } from "./clock.ts";
import type { Deliveries } from "./delivery.ts";
import { DisputeStatus, dispute } from "./disputes.ts";
import { ApiFailure, isKept } from "./failure.ts";
import { FaultsPatch, noFaults } from "./faults.ts";
import { day } from "./periods.ts";
import * as refunds from "./refunds.ts";
import { emptyState, type Kind } from "./state.ts";
import { isOwn, sendTo } from "./webhook-endpoints.ts";

type Given = { readonly account: Account; readonly deliveries: Deliveries; readonly log: Asked[] };
type Control = (given: Given, input: unknown, id: string) => unknown;

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

/** What one does to this Stripe that one cannot do to the real one; all of it under `/_fake/`. */
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

/** The answer of a control; undefined where there is none of this name. */
export async function control(
  given: Given,
  { method, body }: HttpRequest,
  path: string,
): Promise<HttpAnswer | undefined> {
  const [first = "", id = "", ...rest] = path.split("/");
  const name = [first, ...(id === "" ? [] : [":id"]), ...rest].join("/");
  const run = controls[`${method} ${name}`];
  if (!run) return undefined;
  try {
    const input: unknown = body?.length ? JSON.parse(body.toString()) : {};
    catchUp(given.account);
    return json(200, await run(given, input, id));
  } catch (failure) {
    if (failure instanceof ApiFailure) return json(failure.status, failure.body);
    if (failure instanceof SyntaxError || v.isValiError(failure))
      return json(400, { error: { message: failure.message } });
    throw failure;
  }
}

const json = (status: number, body: unknown): HttpAnswer => ({
  status,
  headers: [["content-type", "application/json"]],
  body: JSON.stringify(body, (_, value: unknown) => (value === Number.POSITIVE_INFINITY ? true : value)),
});

/** As new, but for where its events go. */
function reset(account: Account): void {
  Object.assign(account.faults, noFaults());
  account.transact(() => {
    for (const kind of Object.keys(emptyState()) as Kind[])
      for (const { id } of account.rows(kind)) if (!isOwn(id)) account.remove(kind, id);
  });
}
