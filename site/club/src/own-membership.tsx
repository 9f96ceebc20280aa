import { useState } from "preact/hooks";
import { overdue, standings } from "./account-texts.ts";
import { useClub } from "./context.ts";
import type { Invoice, Membership } from "./odis.ts";
import { Action, Failed, Notice } from "./parts.tsx";
import { expectedCode, moneyOf, planOf } from "./plan-words.ts";
import { Portal } from "./portal.tsx";
import { dateOf, hasPassed, isEnding, isRenewed, priceOf, termOf } from "./texts.ts";
import { useRequest } from "./use-request.ts";

type Props = { readonly membership: Membership };

/** The tier and status of a membership, and what a member can do with it. */
export function OwnMembership({ membership }: Props) {
  const { community, go } = useClub();
  const { member_id, access, status, tier, price_cents } = membership;
  const [label, kind] = standings[access.reason];
  const term = termOf(membership);
  const isBlocked = access.reason === "blocked";
  const canEnd = access.reason !== "owner" && isLive(membership);
  if (member_id === null)
    return <p>{access.reason === "owner" ? "This is your community." : "You have not joined this community yet."}</p>;
  return (
    <>
      <h3>
        {tier?.name ?? community.name} <span class={`chip ${kind ?? ""}`}>{label}</span>
      </h3>
      {(access.granted || (isBlocked && canEnd && status !== "unpaid")) && term && (
        <p>
          {term}
          {price_cents && !isEnding(membership) ? ` for ${moneyOf(price_cents)}` : ""}
          {isEnding(membership) && status === "past_due" && `. ${overdue}`}
        </p>
      )}
      {access.reason === "unpaid" && (
        <Notice kind="bad">
          An invoice is not paid, or your membership is paused. Pay the open invoice below to come back. If there is
          none, ask the owner of this community.
        </Notice>
      )}
      <ScheduledChange membership={membership} />
      <p class="actions">
        {canChange(membership) && (
          <button type="button" class="quiet" onClick={() => go("plan")}>
            Change your plan
          </button>
        )}
        <Portal>Card and address</Portal>
        {canEnd &&
          (isEnding(membership) && status !== "unpaid" ? !isBlocked && <Keep /> : <Cancel membership={membership} />)}
      </p>
      <Receipts hasEnded={status === "canceled"} />
    </>
  );
}

/** Whether a membership goes on. A block ends access, but not the subscription. */
const isLive = ({ status }: Membership): boolean => status !== null && status !== "canceled" && status !== "incomplete";

/** Whether a member can change their plan. With a failed payment or a cancellation, they see first what to do about that. */
const canChange = ({ access: { reason }, interval, cancel_at }: Membership): boolean =>
  interval !== null && cancel_at === null && (reason === "active" || reason === "trialing");

/** The change at the end of the period, which can be taken back. */
function ScheduledChange({ membership: { scheduled_change } }: Props) {
  const { odis, community, reload, go } = useClub();
  if (!scheduled_change) return null;
  const { tier, interval, price_cents, at } = scheduled_change;
  return (
    <p class="notice">
      From {dateOf(at)} your plan is {planOf(tier.name, price_cents, interval)}.
      <Action
        class="quiet"
        onClick={async () => {
          const params = { path: { community_id: community.id } };
          const change = "/odis/v1/communities/{community_id}/membership/scheduled_change";
          // A retry after a lost response finds nothing.
          await odis.delete(change, { params }).catch((error: unknown) => expectedCode(error, "not_found"));
          reload();
          go("account", "You keep your plan.");
        }}
      >
        Keep my plan
      </Action>
    </p>
  );
}

/** Takes a cancellation back. */
function Keep() {
  const { odis, community, reload } = useClub();
  const params = { path: { community_id: community.id } };
  return (
    <Action
      class="quiet"
      onClick={async () => {
        await odis
          .post("/odis/v1/communities/{community_id}/membership/uncancel_subscription", { params })
          // It was taken back before, for example by a request whose response was lost.
          .catch((error: unknown) => expectedCode(error, "not_scheduled_to_cancel"));
        reload();
      }}
    >
      Keep membership
    </Action>
  );
}

/** Cancels a membership at the end of its period, or now if it has no period that is paid. */
function Cancel({ membership }: Props) {
  const { odis, community, reload } = useClub();
  const { access, status, current_period_end } = membership;
  const end = current_period_end ?? "";
  const mustEndNow = status === "unpaid" || (!isRenewed(membership) && hasPassed(end));
  const [isAsking, setAsking] = useState(false);
  const params = { path: { community_id: community.id } };
  const later =
    status === "past_due"
      ? `Your membership ends on ${dateOf(end)} at the latest. ${overdue}`
      : access.granted
        ? `You keep your access until ${dateOf(end)}, and do not pay again.`
        : "You do not pay again.";
  return (
    <>
      <button type="button" class="quiet" aria-expanded={isAsking} onClick={() => setAsking(!isAsking)}>
        Cancel
      </button>
      {isAsking && (
        <span class="notice" role="status">
          {mustEndNow ? "Your membership ends now." : later}
          {status === "unpaid" && " Paying an open invoice later does not bring it back."}
          <Action
            onClick={async () => {
              const body = { mode: mustEndNow ? "immediately" : "at_period_end" } as const;
              await odis.post("/odis/v1/communities/{community_id}/membership/cancel_subscription", { params, body });
              setAsking(false);
              reload();
            }}
          >
            Cancel membership
          </Action>
        </span>
      )}
    </>
  );
}

/**
 * The invoices of a membership, with Stripe's pages and files. While it is ended, nobody is led to pay for it. A person who has joined
 * again is led to open invoices of the earlier subscription too, because an invoice does not say to which one it belongs.
 */
function Receipts({ hasEnded }: { readonly hasEnded: boolean }) {
  const { odis, community } = useClub();
  const { data, error } = useRequest(async (signal) => {
    const invoices: Invoice[] = [];
    const history = "/odis/v1/communities/{community_id}/membership/payment_history";
    const params = { path: { community_id: community.id } };
    for await (const invoice of odis.iterate(history, { params, signal })) invoices.push(invoice);
    return invoices;
  }, []);
  return (
    <>
      <h3>Receipts</h3>
      <Failed error={error} />
      {data?.length === 0 && <p>There are no receipts.</p>}
      <ul>
        {data?.map(({ id, created_at, total_cents, status, hosted_invoice_url: page, invoice_pdf: file }) => (
          <li key={id}>
            {dateOf(created_at)} · {priceOf(total_cents / 100)} · {status}{" "}
            {page && !(hasEnded && status === "open") && (
              <a {...elsewhere(page)}>{status === "open" ? "Open invoice" : "Receipt"}</a>
            )}{" "}
            {file && <a {...elsewhere(file)}>PDF</a>}
          </li>
        ))}
      </ul>
    </>
  );
}

/** In another tab, because a return would show the tiers again. */
const elsewhere = (href: string) => ({ href, target: "_blank" });
