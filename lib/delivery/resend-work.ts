import type { StoredDelivery } from "../store/deliveries.ts";
import * as deliveries from "../store/deliveries.ts";
import type { StoredDestination } from "../store/destinations.ts";
import * as destinations from "../store/destinations.ts";
import { grantorOf } from "../store/ownership.ts";
import type { SpanResend } from "../store/resends.ts";
import * as resends from "../store/resends.ts";
import { attempt, type Sender } from "./attempt.ts";
import type { Enqueue, ResendTask } from "./queue.ts";

type World = Sender & { readonly enqueue: Enqueue };

/** Number of deliveries of a time span that are attempted at the same time. */
const pageSize = 20;
/** Lease of a page, in milliseconds. Equals the time limit of the function. */
export const leaseMs = 60_000;

/**
 * Attempts the requested delivery, or those of one page of a time span, and queues the next page. Sends nothing if the
 * destination has been disabled at any time since the request.
 */
export async function performResend(task: ResendTask, world: World): Promise<void> {
  const { table } = world;
  const { community_id, destination_id, delivery_id, requested_at } = task;
  const [stored, community, delivery, span] = await Promise.all([
    destinations.find(table, community_id, destination_id),
    grantorOf(table, community_id),
    delivery_id === null ? undefined : deliveries.find(table, destination_id, delivery_id),
    delivery_id === null ? resends.find(table, destination_id, requested_at) : undefined,
  ]);
  const standing = stored && destinations.standingIn(community, stored, table.runtime);
  const isEnabled = standing?.status === "enabled" && standing.enabled_at === task.enabled_at;
  const destination = isEnabled ? standing : undefined;
  if (span)
    return destination ? sendPage(task, { destination, span }, world) : resends.end(table, destination_id, span);
  if (!destination || !delivery || isResent(delivery, task)) return;
  if (!(await attempt(task, { destination, delivery }, world))) await enqueueAgain({ ...task, is_slow: true }, world);
}

type Read = { readonly destination: StoredDestination; readonly span: SpanResend };

/**
 * Sends one page of a time span. If several messages request the same page, only the message with the lease sends it.
 * The others end: if the page fails, SQS delivers the message with the lease again.
 */
async function sendPage(task: ResendTask, { destination, span }: Read, world: World): Promise<void> {
  const { table } = world;
  const leased = await resends.lease(table, destination.id, span, leaseMs);
  if (!leased) return;
  let { after_id } = leased;
  let isSlow = task.is_slow;
  try {
    const place = { afterId: after_id, until: new Date(leased.until), limit: pageSize };
    const { page, hasMore } = await deliveries.next(table, destination.id, place);
    const statusOf = (delivery: StoredDelivery) => deliveries.standingAt(destination, delivery).status;
    const asked = page.filter((delivery) => leased.status === null || statusOf(delivery) === leased.status);
    const due = asked.filter((delivery) => !isResent(delivery, task));
    const attempts = await Promise.allSettled(due.map((delivery) => attempt(task, { destination, delivery }, world)));
    for (const result of attempts) if (result.status === "rejected") throw result.reason;
    const isLeft = attempts.some((result) => result.status === "fulfilled" && !result.value);
    if (!isLeft && !hasMore) return await resends.end(table, destination.id, leased);
    if (!isLeft) after_id = page.at(-1)?.id ?? after_id;
    isSlow ||= isLeft;
  } finally {
    // The lease must end before the next message is queued. Otherwise that message would be handled while the lease is
    // held, and end without an effect.
    await resends.release(table, destination.id, leased, after_id);
  }
  await enqueueAgain({ ...task, is_slow: isSlow }, world);
}

/** Whether the requested attempt was made, either for the request or by the schedule of the delivery. */
const isResent = ({ attempts }: StoredDelivery, { requested_at }: ResendTask): boolean =>
  attempts.some(({ at }) => at > requested_at);

const enqueueAgain = (task: ResendTask, { table, enqueue }: World): Promise<void> =>
  enqueue([task], table.runtime.now());
