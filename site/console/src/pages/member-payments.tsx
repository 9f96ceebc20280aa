import { useState } from "preact/hooks";
import { refundText } from "../data/member-words.ts";
import type { Charge, Invoice } from "../data/odis.ts";
import { type CursorList, useList } from "../data/use-list.ts";
import { amountOf, centsOf, dateOf, moneyOf, nameOf, shortDateOf } from "../format.ts";
import { Button } from "../parts/button.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { Badge, Card, type Tone } from "../parts/page.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { useOdis } from "../session.tsx";
import type { MemberProps } from "./member.tsx";

const path = "/odis/v1/communities/{community_id}/members/{id}" as const;

export function MemberPayments(props: MemberProps & { readonly changes: number }) {
  const odis = useOdis();
  const [refunded, setRefunded] = useState<Charge>();
  const { communityId, member } = props;
  const list: CursorList<Invoice> = useList(
    (cursor, signal) =>
      odis.get(`${path}/payment_history`, {
        params: {
          path: { community_id: communityId, id: member.id },
          query: { per: 10, ...(cursor !== undefined && { cursor }) },
        },
        ...(signal && { signal }),
      }),
    [communityId, member.id, props.changes],
  );
  return (
    <Card title="Payments">
      <Loaded what="the payments" of={list}>
        {({ data, next_cursor }) => (
          <>
            {data.length === 0 && <Empty title="No payments yet" />}
            <ul class="rows">
              {data.map((invoice) => (
                <Payment key={invoice.id} invoice={invoice} onRefund={setRefunded} />
              ))}
            </ul>
            {next_cursor !== null && (
              <p>
                <Button isRunning={list.isLoadingMore} onClick={() => void list.loadMore()}>
                  Show older payments
                </Button>
              </p>
            )}
          </>
        )}
      </Loaded>
      {refunded && <Refund {...props} charge={refunded} onClose={() => setRefunded(undefined)} />}
    </Card>
  );
}

type PaymentProps = { readonly invoice: Invoice; readonly onRefund: (charge: Charge) => void };

function Payment({ invoice, onRefund }: PaymentProps) {
  const { text, tone } = stateOf(invoice);
  const paid = invoice.charges.find(({ status }) => status === "succeeded");
  const failed = invoice.charges.find(({ failure_message }) => failure_message !== null);
  const refunded = invoice.charges.reduce((sum, charge) => sum + charge.amount_refunded_cents, 0);
  const method = (paid ?? failed)?.payment_method;
  const date = shortDateOf(invoice.paid_at ?? invoice.created_at);
  return (
    <li class="row">
      <div class="row-main">
        <strong class="amount">{moneyOf(invoice.total_cents)}</strong>
        <Badge tone={tone}>{text}</Badge>
        {refunded > 0 && <Badge tone="neutral">{moneyOf(refunded)} refunded</Badge>}
        {paid?.disputed && <Badge tone="danger">Disputed</Badge>}
        <span class="muted">
          {date}
          {method?.last4 && ` · ${method.brand ?? method.type} ending in ${method.last4}`}
        </span>
        {failed?.failure_message && !paid && <span class="muted">{failed.failure_message}</span>}
      </div>
      <div class="actions">
        {invoice.hosted_invoice_url && (
          <a class="button quiet" href={invoice.hosted_invoice_url} target="_blank" rel="noreferrer">
            Invoice<span class="hidden"> of {date}, opens in a new tab</span>
          </a>
        )}
        {paid && paid.refundable_cents > 0 && (
          <Button label={`Refund the payment of ${date}`} onClick={() => onRefund(paid)}>
            Refund
          </Button>
        )}
      </div>
    </li>
  );
}

function stateOf({ status, amount_due_cents }: Invoice): { readonly text: string; readonly tone: Tone } {
  if (status === "paid") return { text: "Paid", tone: "good" };
  if (status === "open") return { text: `${moneyOf(amount_due_cents)} open`, tone: "warning" };
  if (status === "uncollectible") return { text: "Not collected", tone: "danger" };
  return status === "void" ? { text: "Void", tone: "neutral" } : { text: "Draft", tone: "neutral" };
}

function Refund(props: MemberProps & { readonly charge: Charge; readonly onClose: () => void }) {
  const odis = useOdis();
  const { charge, communityId, member, etag, onClose, refresh } = props;
  const values = { amount: amountOf(charge.refundable_cents), reason: "requested_by_customer", note: "" };
  const left = moneyOf(charge.refundable_cents);
  const check = (amount: unknown): string | undefined => {
    const cents = centsOf(String(amount));
    if (cents === undefined || cents === 0) return "Enter an amount in dollars, such as 12.50.";
    return cents > charge.refundable_cents ? `At most ${left} of this payment can be refunded.` : undefined;
  };
  return (
    <FormDialog
      title={`Refund ${nameOf(member.user)}`}
      fields={[
        {
          name: "amount",
          label: "Amount",
          kind: "money",
          hint: `Paid on ${dateOf(charge.created_at)}: ${moneyOf(charge.amount_cents)}. At most ${left} can be refunded.`,
        },
        {
          name: "reason",
          label: "Reason",
          kind: "select",
          choices: [
            { value: "requested_by_customer", label: "The member asked for it" },
            { value: "duplicate", label: "They paid twice" },
            { value: "fraudulent", label: "Fraud" },
          ],
        },
        { name: "note", label: "Note", kind: "long", isOptional: true, maxLength: 500, hint: "For your own records." },
      ]}
      opened={{ values, etag }}
      submit="Refund"
      tone="danger"
      explain={({ amount }) => {
        const cents = centsOf(String(amount));
        return <p>{cents ? refundText(member, cents) : "Enter an amount to see what will happen."}</p>;
      }}
      check={({ amount }) => ({ amount: check(amount) })}
      done={() => "The refund was made."}
      send={async (_, header, { amount, reason, note }) => {
        await odis.post(`${path}/refund_charge`, {
          params: { path: { community_id: communityId, id: member.id }, header },
          body: {
            charge_id: charge.id,
            amount_cents: centsOf(String(amount)) ?? 0,
            reason: reason as "duplicate",
            ...(note !== "" && { note: String(note) }),
          },
        });
        refresh();
      }}
      reread={async () => ({ values, etag: (await props.reread()).etag })}
      onClose={onClose}
    />
  );
}
