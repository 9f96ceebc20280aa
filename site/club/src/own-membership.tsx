import { useState } from "preact/hooks";
import { useClub } from "./context.ts";
import type { Invoice, Membership } from "./odis.ts";
import { Action, Failed } from "./parts.tsx";
import { returnUrl } from "./redirect.ts";
import { dateOf, priceOf, standings } from "./texts.ts";
import { useRequest } from "./use-request.ts";

type Props = { readonly membership: Membership };

/** The tier and status of a membership, and what a member can do with it. */
export function OwnMembership({ membership }: Props) {
  const { odis, community } = useClub();
  const { member_id, access, tier, current_period_end: end, cancel_at_period_end: isEnding } = membership;
  const [label, kind] = standings[access.reason];
  const params = { path: { community_id: community.id } };
  if (member_id === null)
    return <p>{access.reason === "owner" ? "This is your community." : "You have not joined this community yet."}</p>;
  const openPortal = async (): Promise<void> => {
    const body = { return_url: returnUrl(community.id, "account") };
    const { url } = await odis.post("/odis/v1/communities/{community_id}/billing_portal_sessions", { params, body });
    location.assign(url);
  };
  return (
    <>
      <h3>
        {tier?.name ?? community.name} <span class={`chip ${kind ?? ""}`}>{label}</span>
      </h3>
      {access.granted && end && (
        <p>
          {isEnding ? "Ends" : "Renews"} on {dateOf(end)}
        </p>
      )}
      <p class="actions">
        <Action class="quiet" onClick={openPortal}>
          Card and address
        </Action>
        {access.granted && access.reason !== "owner" && <Cancel membership={membership} />}
      </p>
      <Receipts />
    </>
  );
}

/** Cancels a membership, or takes the cancellation back. */
function Cancel({ membership }: Props) {
  const { odis, community, reload } = useClub();
  const { current_period_end: end, cancel_at_period_end: isEnding } = membership;
  const [isAsking, setAsking] = useState(false);
  const params = { path: { community_id: community.id } };
  if (isEnding)
    return (
      <Action
        key="keep"
        class="quiet"
        onClick={async () => {
          await odis.post("/odis/v1/communities/{community_id}/membership/uncancel_subscription", { params });
          reload();
        }}
      >
        Keep membership
      </Action>
    );
  return (
    <>
      <button type="button" class="quiet" aria-expanded={isAsking} onClick={() => setAsking(!isAsking)}>
        Cancel
      </button>
      {isAsking && (
        <span class="notice" role="status">
          You keep your access until {end && dateOf(end)}, and do not pay again.
          <Action
            onClick={async () => {
              const body = { mode: "at_period_end" } as const;
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

/** The invoices of a membership, with Stripe's pages and files. */
function Receipts() {
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
            {dateOf(created_at)} · {priceOf(total_cents / 100)} · {status} {page && <a {...elsewhere(page)}>Receipt</a>}{" "}
            {file && <a {...elsewhere(file)}>PDF</a>}
          </li>
        ))}
      </ul>
    </>
  );
}

/** In another tab, because a return would show the tiers again. */
const elsewhere = (href: string) => ({ href, target: "_blank" });
