import { useEffect, useState } from "preact/hooks";
import { useClub } from "./context.ts";
import { isFree } from "./is-free.ts";
import type { OdisProblem, OwnChangeAnswer, OwnChangeRequest } from "./odis.ts";
import { Action, Link, Notice } from "./parts.tsx";
import { PlanOffers } from "./plan-offers.tsx";
import { Payment } from "./plan-payment.tsx";
import {
  doneText,
  expectedCode,
  inWords,
  labelOf,
  madeText,
  moneyOf,
  newPlanText,
  type Offer,
  previewText,
} from "./plan-words.ts";
import { Portal } from "./portal.tsx";
import { returnUrl } from "./redirect.ts";
import { SubView } from "./sub-view.tsx";

/** A plan that was chosen. The answer of the API is undefined if there is no card to charge. */
type Step = { readonly offer: Offer; readonly answer: OwnChangeAnswer | undefined; readonly isAgain?: boolean };

/** Changes the tier, the interval or both: the other plans, then what a change costs, then its payment if the card fails. */
export function Plan() {
  const { odis, community, membership, reload, go } = useClub();
  const [step, setStep] = useState<Step>();

  const change = ({ tier, interval }: Offer, how: OwnChangeRequest) =>
    odis.post("/odis/v1/communities/{community_id}/membership/change_subscription", {
      params: { path: { community_id: community.id } },
      body: { tier_id: tier.id, interval, return_url: returnUrl(community.id, "changed"), ...how },
    });

  async function preview(offer: Offer, isAgain = false): Promise<void> {
    const answer = await change(offer, { dry_run: true }).catch((error: Partial<OdisProblem>): undefined => {
      const isWithoutCard = error.problem?.processor_code === "resource_missing";
      if (!isWithoutCard) throw inWords(error);
    });
    setStep({ offer, isAgain, answer });
  }

  async function confirm(offer: Offer, { preview_id }: OwnChangeAnswer): Promise<void> {
    const answer = await change(offer, { preview_id: preview_id ?? "" }).catch((error: unknown) =>
      // A change to the own plan was made before, for example by a request whose response was lost.
      expectedCode(error, "preview_expired", "nothing_to_change"),
    );
    reload();
    if (answer === "preview_expired") return preview(offer, true);
    if (answer === "nothing_to_change") return go("account", newPlanText(offer));
    if (answer.status !== "payment_required") return go("account", doneText(answer, offer));
    setStep({ offer, answer });
    // Members of a free tier enter their card there, as at the first checkout.
    if (isFree(membership) && answer.url) location.assign(answer.url);
  }

  // The payment on Stripe's page, or a confirmation whose response was lost.
  const made = step && membership && madeText(membership, step.offer, step.answer?.when === "at_period_end");
  useEffect(() => {
    if (made) go("account", made);
  }, [made]);

  if (!step)
    return (
      <SubView title="Change your plan">
        <PlanOffers onChoose={preview} />
        <Link onClick={() => go("account")}>Back to my account</Link>
      </SubView>
    );
  const { offer, answer, isAgain } = step;
  const back = <Link onClick={() => setStep(undefined)}>Choose another plan</Link>;
  if (!answer)
    return (
      <SubView title="Add a card first">
        <p>There is no card that could be charged. Add one, then choose your plan again.</p>
        <Portal>Add a card</Portal>
        {back}
      </SubView>
    );
  if (answer.status === "payment_required")
    return (
      <SubView title="Your payment is needed">
        <Payment offer={offer} answer={answer} />
        {back}
      </SubView>
    );
  const charged = answer.charged_now_cents;
  return (
    <SubView title={labelOf(membership, offer)}>
      {isAgain && <Notice kind="bad">The preview is no longer valid. Check the change again.</Notice>}
      <p>{previewText(answer, offer)}</p>
      <p class="actions">
        <Action onClick={() => confirm(offer, answer)}>
          {charged > 0 ? `Pay ${moneyOf(charged)} now` : "Confirm the change"}
        </Action>
        {back}
      </p>
    </SubView>
  );
}
