/** What a receiver of webhooks can and cannot read. Each is a compile error, and `tsc` fails where one stops being so. */
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
  // @ts-expect-error an event of access has no payment
  () => granted.data.payment,
  // @ts-expect-error an event holds no names of people
  () => granted.data.member.user,
  // @ts-expect-error a type that there is not
  () => any.type === "member.paused",
  // @ts-expect-error what an event holds depends on its type
  () => any.data.member,
];
