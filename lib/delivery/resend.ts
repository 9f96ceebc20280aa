import type { Selection } from "../domain/resend.ts";
import { Problem, validationFailed } from "../problem.ts";
import * as deliveries from "../store/deliveries.ts";
import type { StoredDestination } from "../store/destinations.ts";
import { unavailable } from "../store/failure.ts";
import { assertAuthorized, whileAuthorized } from "../store/ownership.ts";
import * as resends from "../store/resends.ts";
import type { Writer } from "../store/table.ts";
import type { Enqueue, ResendTask } from "./queue.ts";

type Resending = {
  readonly table: Writer;
  readonly enqueue: Enqueue;
  /** Time of the request's first attempt. A retry of the request causes no second attempt of a delivery. */
  readonly requestedAt: Date;
};

/**
 * Queues the deliveries that a request selects.
 *
 * @throws Problem `destination_disabled`, `validation_failed` for an unknown delivery, `too_many_requests` while another
 * time span is being resent, `unavailable`
 */
export async function resend(destination: StoredDestination, selection: Selection, resending: Resending) {
  assertEnabled(destination);
  const { table, requestedAt } = resending;
  const { id } = destination;
  const requested_at = requestedAt.toISOString();
  if ("delivery_ids" in selection) {
    const { delivery_ids } = selection;
    await assertExist(table, id, delivery_ids);
    await assertAuthorized(table);
    await enqueueAll(destination, [...new Set(delivery_ids)], resending);
    return { requested_at, delivery_ids: [...delivery_ids], since: null, until: null, status: null };
  }
  await resends.begin(whileAuthorized(table), id, selection, requestedAt);
  await enqueueAll(destination, [null], resending).catch(async (error: unknown) => {
    await resends.end(table, id, { requested_at });
    throw error;
  });
  return { requested_at, delivery_ids: null, ...selection };
}

/**
 * Queues one delivery, and returns its current state.
 *
 * @throws Problem `not_found`, `destination_disabled`, `unavailable`
 */
export async function resendOne(destination: StoredDestination, deliveryId: number, resending: Resending) {
  const delivery = await deliveries.find(resending.table, destination.id, deliveryId);
  if (!delivery) throw new Problem("not_found", { detail: `There is no delivery ${deliveryId} to this destination` });
  assertEnabled(destination);
  await assertAuthorized(resending.table);
  await enqueueAll(destination, [deliveryId], resending);
  return deliveries.standingAt(destination, delivery);
}

function assertEnabled({ status }: StoredDestination): void {
  if (status === "disabled") throw new Problem("destination_disabled");
}

async function assertExist(table: Writer, destinationId: number, deliveryIds: readonly number[]): Promise<void> {
  const existing = new Set((await deliveries.findAll(table, destinationId, deliveryIds)).map(({ id }) => id));
  const errors = deliveryIds.flatMap((id, index) =>
    existing.has(id)
      ? []
      : [
          {
            pointer: `/delivery_ids/${index}`,
            code: "unknown_reference" as const,
            message: "must be a delivery to this destination",
          },
        ],
  );
  if (errors.length > 0) throw validationFailed(errors);
}

/** Queues a message for each delivery. A null in the list requests the deliveries of the stored time span. */
async function enqueueAll(
  destination: StoredDestination,
  deliveryIds: readonly (number | null)[],
  { table, enqueue, requestedAt }: Resending,
): Promise<void> {
  const { id: destination_id, community_id, enabled_at } = destination;
  const requested_at = requestedAt.toISOString();
  const task = { community_id, destination_id, requested_at, enabled_at, is_slow: false };
  const tasks: ResendTask[] = deliveryIds.map((delivery_id) => ({ ...task, delivery_id }));
  await enqueue(tasks, table.runtime.now(), table.signal).catch((cause: unknown) => {
    throw unavailable(cause);
  });
}
