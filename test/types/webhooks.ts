/** Code of a webhook receiver that must not compile. `tsc` fails if any of it compiles. */
import { type DomainEvent, type EventOf, verifyWebhook } from "odis/webhooks";

export const possible = async (): Promise<readonly unknown[]> => {
  const event = await verifyWebhook("", new Headers(), "whsec_");
  if (event.type === "access.granted" || event.type === "access.revoked")
    return [event.data.member.user_id, event.data.member.access.until];
  if (event.type === "payment.failed") return [event.data.payment.amount_cents, event.data.member.status];
  if (event.type === "tier.updated") return [event.data.tier.name, event.previous.name];
  return [event.id, event.sequence, event.subject, event.community_id, event.timestamp];
};

const granted = {} as EventOf<"access.granted">;
const any = {} as DomainEvent;

export const impossible = [
  // @ts-expect-error an access event has no payment
  () => granted.data.payment,
  // @ts-expect-error an event does not contain the names of people
  () => granted.data.member.user,
  // @ts-expect-error the event type does not exist
  () => any.type === "member.paused",
  // @ts-expect-error the data of an event depends on its type
  () => any.data.member,
];
