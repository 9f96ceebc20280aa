import { keys } from "./keys.ts";
import type { Reader, Write, Writer } from "./table.ts";
import { write } from "./write.ts";

/** The event has been handled before. */
export class Repeated extends Error {
  override readonly name = "Repeated";
}

const day = 24 * 60 * 60;
const seconds = (at: Date): number => Math.floor(at.getTime() / 1000);

/** Marks an event as handled, in the transaction with its effect. */
export const handled = (eventId: string, now: Date): Write => ({
  put: { ...keys.stripeEvent(eventId), handled_at: now.toISOString(), expires_at: seconds(now) + 35 * day },
  when: "absent",
  otherwise: new Repeated("The event was handled before"),
});

/** Whether an event was handled. */
export const isHandled = async (table: Reader, eventId: string): Promise<boolean> =>
  (await table.get(keys.stripeEvent(eventId))) !== undefined;

/** The events that are not marked as handled. */
export async function unhandled<Event extends { readonly id: string }>(table: Reader, events: readonly Event[]) {
  const found = await table.getAll(events.map(({ id }) => keys.stripeEvent(id)));
  const marked = new Set(found.map(({ pk }) => pk));
  return events.filter(({ id }) => !marked.has(keys.stripeEvent(id).pk));
}

/** Marks an event as handled that has no effect of its own. */
export async function markHandled(table: Writer, eventId: string, now: Date): Promise<void> {
  await write(table, [handled(eventId, now)]).catch((error: unknown) => {
    if (!(error instanceof Repeated)) throw error;
  });
}
