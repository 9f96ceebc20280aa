import { useClub } from "./context.ts";
import { Action } from "./parts.tsx";
import type { Offer } from "./plan-words.ts";
import { Tiers } from "./tiers.tsx";

/** The tiers, with a button for each plan besides the member's own. */
export function PlanOffers({ onChoose }: { readonly onChoose: (offer: Offer) => Promise<void> }) {
  const { tiers, membership } = useClub();
  const isOwn = ({ tier, interval }: Offer): boolean =>
    tier.id === membership?.tier?.id && interval === membership.interval;
  return (
    <Tiers>
      {(tier) => {
        const intervals = tier.yearly_price_dollars ? (["month", "year"] as const) : (["month"] as const);
        const isOwnTier = tier.id === membership?.tier?.id;
        const change = `Change to ${tier.name}`;
        const labels = isOwnTier
          ? { month: "Pay by the month", year: "Pay by the year" }
          : { month: change, year: `${change} for a year` };
        return (
          <>
            {isOwnTier && <p class="muted">Your plan, by the {membership?.interval}</p>}
            {tier.requires_shipping_address && <p class="muted">Ships to you.</p>}
            <p class="actions">
              {intervals
                .map((interval) => ({ tier, interval }))
                .filter((offer) => !isOwn(offer))
                .map((offer) => (
                  <Action key={offer.interval} class="quiet" onClick={() => onChoose(offer)}>
                    {labels[offer.interval]}
                  </Action>
                ))}
            </p>
          </>
        );
      }}
    </Tiers>
  );
}
