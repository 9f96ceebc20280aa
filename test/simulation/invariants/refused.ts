import { chargesOf, isRejected, refundsOf, subscriptionsOf } from "../world/dashboard.ts";
import { ofKind } from "../world/records.ts";
import type { World } from "../world/world.ts";

/**
 * A request that ended a subscription at Stripe never gets the response that the subscription had already ended. It may have
 * ended another one, which its synchronization rejected.
 */
export function assertEndings(world: World): void {
  const rejected = subscriptionsOf(world).filter(isRejected);
  for (const { name, ended } of world.answers.deniedEndings()) {
    const own = ended.filter((id) => !rejected.some((subscription) => subscription.id === id));
    if (own.length > 0)
      world.violate("own cancellation", `${name} ended ${own.join()} and was told that it had already ended`);
  }
}

/**
 * Stripe refuses no cancellation, and no withdrawal of one, because of a schedule. It gives no code for that. The refusals of
 * the actors have codes.
 */
export function assertCancelable(world: World): void {
  for (const { name, outcome } of world.answers.attempts) {
    const { code, processor_code } = outcome.body;
    if (name.endsWith("cancel_subscription") && code === "payment_processor_refused" && !processor_code)
      world.violate("own cancellation", `${name} was refused by Stripe`);
  }
}

/** Statuses of refusals. A request that is answered 409 may have synchronized the member before. */
const refusals: readonly number[] = [400, 401, 403, 404, 412, 422, 429];

/** No audit entry comes from a request that was refused. */
export function assertRefusedUnrecorded(world: World): void {
  const refused = new Map(
    world.answers.attempts
      .filter(({ outcome }) => refusals.includes(outcome.status))
      .map((attempt) => [attempt.outcome.headers["x-request-id"], attempt]),
  );
  for (const { request_id, action, pk } of ofKind(world, "activity")) {
    const { name, outcome } = refused.get(request_id ?? "") ?? {};
    if (outcome)
      world.violate("no refusal after an effect", `${name} was answered ${outcome.status}: ${pk} ${String(action)}`);
  }
}

/** The texts of refused requests are stored neither in the table nor at Stripe. Each request has its own text. */
export function assertRefused(world: World): void {
  const refused = world.answers.refusedTexts();
  const wrong = (text: string | null | undefined, where: string) => {
    if (text && refused.has(text))
      world.violate("no refusal after an effect", `${where} holds ${JSON.stringify(text)}, which was answered 4xx`);
  };
  for (const { record } of world.changes) {
    const { NewImage, Keys } = record.dynamodb;
    const address = NewImage?.shipping_address?.M;
    if (address) wrong(address.line1?.S, `${Keys.pk?.S} ${Keys.sk?.S}`);
  }
  for (const { id, cancellation_details } of subscriptionsOf(world)) wrong(cancellation_details?.comment, id);
  for (const { id } of chargesOf(world))
    for (const refund of refundsOf(world, id)) wrong(refund.metadata?.note, refund.id);
}
