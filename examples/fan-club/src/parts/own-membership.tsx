import type { Me } from "@odis/client";
import { useState } from "preact/hooks";
import { dateOf, priceOf } from "../format.ts";
import { messageOf, useSession } from "../session.tsx";
import { useAction, useRequest } from "../use-request.ts";
import { Notice } from "./notice.tsx";

type Props = { readonly membership: Me["memberships"][number]; readonly onChange: () => void };

/** Cancels a membership, or takes the cancellation back, without the billing portal. */
export function CancelButton({ membership, onChange }: Props) {
  const { odis } = useSession();
  const { community, current_period_end, cancel_at_period_end } = membership;
  const [isAsking, setAsking] = useState(false);
  const { isRunning, error, run } = useAction(async () => {
    const params = { path: { community_id: community.id } };
    if (cancel_at_period_end)
      await odis.post("/odis/v1/communities/{community_id}/membership/uncancel_subscription", { params });
    else
      await odis.post("/odis/v1/communities/{community_id}/membership/cancel_subscription", {
        params,
        body: { mode: "at_period_end" },
      });
    setAsking(false);
    onChange();
  });
  const action = { type: "button", disabled: isRunning, "aria-busy": isRunning, onClick: () => void run() } as const;
  return (
    <>
      {cancel_at_period_end ? (
        <button class="button quiet" {...action}>
          Keep membership
        </button>
      ) : (
        <button type="button" class="button quiet" aria-expanded={isAsking} onClick={() => setAsking(!isAsking)}>
          Cancel
        </button>
      )}
      {isAsking && (
        <div class="notice" role="status">
          <p>You keep your access until {current_period_end && dateOf(current_period_end)}, and do not pay again.</p>
          <button class="button" {...action}>
            Cancel membership
          </button>
        </div>
      )}
      {error !== undefined && <Notice kind="bad">{messageOf(error)}</Notice>}
    </>
  );
}

/** The invoices of a membership, with Stripe's pages and files. */
export function Receipts({ communityId }: { readonly communityId: number }) {
  const { odis } = useSession();
  const { data, error } = useRequest(
    async (signal) =>
      odis.get("/odis/v1/communities/{community_id}/membership/payment_history", {
        params: { path: { community_id: communityId } },
        signal,
      }),
    [communityId],
  );
  if (error !== undefined) return <Notice kind="bad">{messageOf(error)}</Notice>;
  if (!data) return <p role="status">Loading your receipts</p>;
  if (data.data.length === 0) return <p>There are no receipts.</p>;
  return (
    <ul class="receipts">
      {data.data.map(({ id, created_at, total_cents, status, hosted_invoice_url, invoice_pdf }) => (
        <li key={id}>
          {dateOf(created_at)} · {priceOf(total_cents / 100)} · {status}
          {hosted_invoice_url && <a href={hosted_invoice_url}>Receipt</a>}
          {invoice_pdf && <a href={invoice_pdf}>PDF</a>}
        </li>
      ))}
    </ul>
  );
}
