import { useClub } from "./context.ts";
import { Action } from "./parts.tsx";
import { byInterval, isOwnTier, labelOf, type Offer } from "./plan-words.ts";
import { Tiers } from "./tiers.tsx";

/** The tiers, with a button for each plan besides the member's own. */
export function PlanOffers({ onChoose }: { readonly onChoose: (offer: Offer) => Promise<void> }) {
  const { membership } = useClub();
  return (
    <Tiers>
      {(tier) => {
        const offers: Offer[] = [{ tier, interval: "month" }];
        if (tier.yearly_price_dollars) offers.push({ tier, interval: "year" });
        const isOwn = isOwnTier(membership, tier);
        return (
          <>
            {isOwn && <p class="muted">Your plan{byInterval({ tier, interval: membership?.interval ?? null })}</p>}
            {tier.requires_shipping_address && <p class="muted">Ships to you.</p>}
            <p class="actions">
              {offers
                .filter(({ interval }) => !(isOwn && interval === membership?.interval))
                .map((offer) => (
                  <Action key={offer.interval} class="quiet" onClick={() => onChoose(offer)}>
                    {labelOf(membership, offer)}
                  </Action>
                ))}
            </p>
          </>
        );
      }}
    </Tiers>
  );
}
