import { useEffect } from "preact/hooks";
import { useClub } from "./context.ts";
import { isFree } from "./is-free.ts";
import type { OwnChangeAnswer } from "./odis.ts";
import { Action } from "./parts.tsx";
import { moneyOf, type Offer, timeOf } from "./plan-words.ts";
import { delays } from "./redirect.ts";

/** Leads to Stripe's page for a change that has to be paid there, and looks whether it is paid. */
export function Payment({ offer, answer }: { readonly offer: Offer; readonly answer: OwnChangeAnswer }) {
  const { membership, reload } = useClub();
  const { url, expires_at, charged_now_cents: cents } = answer;
  useEffect(() => {
    // Stripe's page is in another tab, and what was paid there arrives within a moment.
    const look = (): void => {
      if (!document.hidden) for (const delay of delays) setTimeout(reload, delay);
    };
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  return (
    <>
      {!isFree(membership) && <p>Your card could not be charged, or your bank wants you to confirm the payment.</p>}
      <p>
        Your plan has not changed. Pay {moneyOf(cents)} on Stripe’s page by {timeOf(expires_at ?? "")} to change to{" "}
        {offer.tier.name}. Otherwise you keep {membership?.tier?.name} and are not charged.
      </p>
      <p class="actions">
        <a href={url ?? ""} target="_blank">
          Pay {moneyOf(cents)} on Stripe’s page
        </a>
        <Action class="quiet" onClick={async () => reload()} done="Your payment has not arrived yet.">
          Check again
        </Action>
      </p>
    </>
  );
}
