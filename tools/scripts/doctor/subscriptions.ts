import { paginateListSubscriptionsByTopic, SNSClient, type Subscription } from "@aws-sdk/client-sns";
import type { Check, Fault } from "./check.ts";
import { type CheckedStack, outputOf } from "./stack.ts";

type Topic = {
  readonly arn: string;
  /** Addresses in the settings of the stage. */
  readonly alarmsTo: readonly string[];
};

/** Addresses that get no alarms, because nobody confirmed the subscription or somebody ended it. */
export function subscriptionFaults(subscriptions: readonly Subscription[], { arn, alarmsTo }: Topic): readonly Fault[] {
  const subscribe = (address: string) =>
    `aws sns subscribe --topic-arn ${arn} --protocol email --notification-endpoint ${address}`;
  const pending = subscriptions.filter(({ SubscriptionArn }) => SubscriptionArn === "PendingConfirmation");
  const missing = alarmsTo.filter((address) => !subscriptions.some(({ Endpoint }) => Endpoint === address));
  return [
    ...pending.map(({ Endpoint = "" }) => ({
      says: `${Endpoint} gets no alarms, because the subscription is not confirmed. The command sends the email with the link again.`,
      command: subscribe(Endpoint),
    })),
    ...missing.map((address) => ({
      says: `${address} gets no alarms, because the subscription has ended. The command sends an email with a link.`,
      command: subscribe(address),
    })),
  ];
}

async function look(stack: CheckedStack): Promise<readonly Fault[]> {
  const { alarmsTo } = stack.settings();
  const arn = outputOf(stack, "AlarmTopicArn");
  const found: Subscription[] = [];
  for await (const { Subscriptions = [] } of paginateListSubscriptionsByTopic(
    { client: new SNSClient() },
    { TopicArn: arn },
  ))
    found.push(...Subscriptions);
  return subscriptionFaults(found, { arn, alarmsTo });
}

export const subscriptions: Check = { name: "subscriptions to alarms", look };
