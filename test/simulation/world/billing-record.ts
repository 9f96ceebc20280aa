import type Stripe from "stripe";
import type { Change } from "stripe-stand-in";

/** A subscription from a moment on, as an event shows it. */
export type Version = {
  /** In seconds since 1970. */
  readonly at: number;
  readonly subscription: Stripe.Subscription;
  /** The prorations that Stripe has made since the version before. */
  readonly prorations: readonly Stripe.InvoiceItem[];
};

/** What Stripe's events say of subscriptions and their prorations. Stripe itself removes its events after 30 days. */
export class BillingRecord {
  readonly #versions = new Map<string, Version[]>();
  readonly #events = new Set<string>();
  readonly #unread = new Map<string, Stripe.InvoiceItem[]>();

  /** The versions of a subscription, oldest first. */
  versionsOf(subscription: string): readonly Version[] {
    return this.#versions.get(subscription) ?? [];
  }

  /** Reads the new events. An event is also stored again when it has been delivered. */
  note(changes: readonly Change[]): void {
    for (const { kind, object } of changes) if (kind === "event" && object) this.#read(object as Stripe.Event);
  }

  #read({ id: eventId, type, created, data: { object } }: Stripe.Event): void {
    if (this.#events.has(eventId)) return;
    this.#events.add(eventId);
    if (type === "invoiceitem.created") {
      const item = object as Stripe.InvoiceItem;
      const id = String(item.parent?.subscription_details?.subscription);
      this.#unread.set(id, [...(this.#unread.get(id) ?? []), item]);
    } else if (type.startsWith("customer.subscription.")) {
      const subscription = object as Stripe.Subscription;
      const { id } = subscription;
      const version = { at: created, subscription, prorations: this.#unread.get(id) ?? [] };
      this.#versions.set(id, [...this.versionsOf(id), version]);
      this.#unread.delete(id);
    }
  }
}
