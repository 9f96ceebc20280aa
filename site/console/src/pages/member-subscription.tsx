import { useEffect } from "preact/hooks";
import type { SubscriptionDetails } from "../data/odis.ts";
import { OdisProblem } from "../data/odis.ts";
import { useLoad } from "../data/use-load.ts";
import { cardNameOf, dateOf, moneyOf } from "../format.ts";
import { Card, Facts } from "../parts/page.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { useOdis } from "../session.tsx";
import type { MemberProps } from "./member-props.ts";

/** The current subscription at Stripe. */
export function SubscriptionCard({ communityId, member, changes, reread }: MemberProps & { readonly changes: number }) {
  const odis = useOdis();
  const load = useLoad(
    async (signal) => {
      try {
        const path = { community_id: communityId, id: member.id };
        return await odis.get("/odis/v1/communities/{community_id}/members/{id}/subscription_details", {
          params: { path },
          signal,
        });
      } catch (error) {
        if (error instanceof OdisProblem && error.code === "no_subscription") return null;
        throw error;
      }
    },
    [communityId, member.id, changes],
  );
  useEffect(() => {
    // The data of Stripe were newer than the record on the page.
    if (load.data?.in_sync === false) reread().catch(() => undefined);
  }, [load.data]);
  return (
    <Card title="Subscription">
      <Loaded what="the subscription" of={load} lines={3}>
        {(details) => (details ? <Details {...details} /> : <Empty title="No subscription in Stripe" />)}
      </Loaded>
    </Card>
  );
}

function Details({
  price,
  default_payment_method: card,
  current_period_end,
  ended_at,
  cancel_at,
}: SubscriptionDetails) {
  const cardText = card ? [cardNameOf(card), expiryOf(card)].filter(Boolean).join(" ") : "None";
  const [endName, end] = ended_at
    ? ["Ended", ended_at]
    : cancel_at
      ? ["Ends", cancel_at]
      : ["Next payment", current_period_end];
  return (
    <Facts
      of={[
        [
          "Price",
          price.unit_amount_cents === null ? "Several prices" : priceText(price.unit_amount_cents, price.interval),
        ],
        [endName ?? "", dateOf(end ?? current_period_end)],
        ["Card", cardText],
      ]}
    />
  );
}

const priceText = (cents: number, interval: string | null): string =>
  interval === null ? moneyOf(cents) : `${moneyOf(cents)} a ${interval}`;

type Card = NonNullable<SubscriptionDetails["default_payment_method"]>;
const expiryOf = ({ exp_month, exp_year }: Card): string =>
  exp_month === null || exp_year === null ? "" : `(expires ${String(exp_month).padStart(2, "0")}/${exp_year})`;
