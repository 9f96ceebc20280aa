import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useClub } from "./context.ts";
import type { Tier } from "./odis.ts";
import { priceOf } from "./texts.ts";

/** The tiers with their prices and benefits, and what a person can do with each. */
export function Tiers({ children }: { readonly children: (tier: Tier) => ComponentChildren }) {
  const { tiers } = useClub();
  if (tiers.length === 0) return <p>There are no tiers yet.</p>;
  return (
    <ul class="tiers">
      {tiers.map((tier) => (
        <TierCard key={tier.id} tier={tier}>
          {children(tier)}
        </TierCard>
      ))}
    </ul>
  );
}

function TierCard({ tier, children }: { readonly tier: Tier; readonly children: ComponentChildren }) {
  const { id, name, monthly_price_dollars: price, yearly_price_dollars: yearly, benefits } = tier;
  const card = useRef<HTMLLIElement>(null);
  useEffect(() => {
    // A link to join this tier, such as that of the console. The browser does not look into the element for it.
    if (location.hash === `#tier-${id}`) card.current?.scrollIntoView({ block: "center" });
  }, []);
  return (
    <li ref={card}>
      <h3>{name}</h3>
      <p class="price">
        {priceOf(price)}
        {price > 0 && <small> a month</small>}
        {yearly && <small> or {priceOf(yearly)} a year</small>}
      </p>
      <ul>
        {benefits.map((benefit) => (
          <li key={benefit.id}>{benefit.name}</li>
        ))}
      </ul>
      {children}
    </li>
  );
}
