import { useEffect } from "preact/hooks";
import { feedbackTexts } from "../data/member-words.ts";
import { OdisProblem, type SubscriptionDetails } from "../data/odis.ts";
import { useLoad } from "../data/use-load.ts";
import { cardNameOf, dateOf, moneyOf } from "../format.ts";
import { Card, Facts } from "../parts/page.tsx";
import { Empty, type Load, Loaded } from "../parts/states.tsx";
import { useOdis } from "../session.tsx";
import type { MemberProps } from "./member-props.ts";

/** The current subscription at Stripe. Null if there is none. */
export function useDetails(communityId: number, id: number, changes: number): Load<SubscriptionDetails | null> {
  const odis = useOdis();
  return useLoad(
    async (signal) => {
      try {
        const path = { community_id: communityId, id };
        return await odis.get("/odis/v1/communities/{community_id}/members/{id}/subscription_details", {
          params: { path },
          signal,
        });
      } catch (error) {
        if (error instanceof OdisProblem && error.code === "no_subscription") return null;
        throw error;
      }
    },
    [communityId, id, changes],
  );
}

type CardProps = MemberProps & { readonly details: Load<SubscriptionDetails | null> };

export function SubscriptionCard({ member, details: load, isManual, reread }: CardProps) {
  useEffect(() => {
    // The data of Stripe were newer than the record on the page.
    if (load.data?.in_sync === false) reread().catch(() => undefined);
  }, [load.data]);
  return (
    <Card title="Subscription">
      <Loaded what="the subscription" of={load} lines={3}>
        {(details) =>
          details ? (
            <Details {...details} isUnpaid={member.status === "unpaid"} />
          ) : (
            <Empty title="No subscription in Stripe">
              {isManual && <p>Imported: pays outside of Stripe. Odis shows no payments and takes none.</p>}
            </Empty>
          )
        }
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
  cancellation_feedback,
  cancellation_comment,
  isUnpaid,
}: SubscriptionDetails & { readonly isUnpaid: boolean }) {
  const cardText = card ? [cardNameOf(card), expiryOf(card)].filter(Boolean).join(" ") : "None";
  const [endName, end] = ended_at
    ? ["Ended", ended_at]
    : cancel_at
      ? ["Ends", cancel_at]
      : [isUnpaid ? "Current period ends" : "Next payment", current_period_end];
  const reason = [feedbackTexts[cancellation_feedback ?? ""], cancellation_comment].filter(Boolean).join(": ");
  return (
    <Facts
      of={[
        [
          "Price",
          price.unit_amount_cents === null ? "Several prices" : priceText(price.unit_amount_cents, price.interval),
        ],
        [endName ?? "", dateOf(end ?? current_period_end)],
        ["Card", cardText],
        ...(reason ? [["Reason for leaving", reason] as const] : []),
      ]}
    />
  );
}

const priceText = (cents: number, interval: string | null): string =>
  interval === null ? moneyOf(cents) : `${moneyOf(cents)} a ${interval}`;

type Card = NonNullable<SubscriptionDetails["default_payment_method"]>;
const expiryOf = ({ exp_month, exp_year }: Card): string =>
  exp_month === null || exp_year === null ? "" : `(expires ${String(exp_month).padStart(2, "0")}/${exp_year})`;
