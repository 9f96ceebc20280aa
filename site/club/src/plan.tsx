import { useState } from "preact/hooks";
import { useClub } from "./context.ts";
import { isFree } from "./is-free.ts";
import { OdisProblem, type OwnChangeAnswer, type OwnChangeRequest } from "./odis.ts";
import { Action, Link, Notice } from "./parts.tsx";
import { PlanOffers } from "./plan-offers.tsx";
import { Payment } from "./plan-payment.tsx";
import { doneText, inWords, labelOf, moneyOf, type Offer, previewText } from "./plan-words.ts";
import { Portal } from "./portal.tsx";
import { returnUrl } from "./redirect.ts";
import { SubView } from "./sub-view.tsx";

/** A plan that was chosen. The answer of the API is undefined if there is no card to charge. */
type Step = { readonly offer: Offer; readonly answer?: OwnChangeAnswer; readonly isAgain?: boolean };

const hasCode = (error: unknown, code: string): error is OdisProblem =>
  error instanceof OdisProblem && error.code === code;

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
    try {
      setStep({ offer, isAgain, answer: await change(offer, { dry_run: true }) });
    } catch (error) {
      const isWithoutCard =
        hasCode(error, "payment_processor_refused") && error.problem.processor_code === "resource_missing";
      if (!isWithoutCard) throw inWords(error);
      setStep({ offer });
    }
  }

  async function confirm(offer: Offer, { preview_id }: OwnChangeAnswer): Promise<void> {
    const answer = await change(offer, { preview_id: preview_id ?? "" }).catch((error: unknown) => {
      if (!hasCode(error, "preview_expired")) throw inWords(error);
    });
    reload();
    if (!answer) return preview(offer, true);
    if (answer.status !== "payment_required") return go("account", doneText(answer, offer));
    setStep({ offer, answer });
    // Members of a free tier enter their card there, as at the first checkout.
    if (isFree(membership) && answer.url) location.assign(answer.url);
  }

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
