import { useState } from "preact/hooks";
import { attemptsAt } from "../data/attempts.ts";
import { failureText } from "../data/member-words.ts";
import type { Charge, Invoice, Member } from "../data/odis.ts";
import { useRights } from "../data/rights.ts";
import { type CursorList, useList } from "../data/use-list.ts";
import { cardNameOf, firstNameOf, moneyOf, shortDateOf } from "../format.ts";
import { Button } from "../parts/button.tsx";
import { More } from "../parts/more.tsx";
import { Badge, Card } from "../parts/page.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import type { Tone } from "../parts/tone.ts";
import { useOdis, useSession } from "../session.tsx";
import { type MemberProps, memberPath, pathOf } from "./member-props.ts";
import { canRefund, Refund, refundSubject } from "./member-refund.tsx";

export function MemberPayments(props: MemberProps & { readonly changes: number }) {
  const odis = useOdis();
  const [refunded, setRefunded] = useState<Charge>();
  const { communityId, member } = props;
  const may = useRights(communityId);
  const list: CursorList<Invoice> = useList(
    (cursor, signal) =>
      odis.get(`${memberPath}/payment_history`, {
        params: {
          path: pathOf(props),
          query: { per: 10, ...(cursor !== undefined && { cursor }) },
        },
        ...(signal && { signal }),
      }),
    [communityId, member.id, props.changes],
  );
  return (
    <Card title="Payments">
      <Loaded what="the payments" of={list}>
        {({ data }) => (
          <>
            {data.length === 0 && (
              <Empty title="No payments yet">
                {props.isManual && <p>Imported: pays outside of Stripe, so payments do not appear here.</p>}
              </Empty>
            )}
            <ul class="rows">
              {data.map((invoice) => (
                <Payment
                  key={invoice.id}
                  invoice={invoice}
                  member={member}
                  onRefund={may("refunds_write") ? setRefunded : undefined}
                />
              ))}
            </ul>
            <More of={list} what="older payments" />
          </>
        )}
      </Loaded>
      {refunded && <Refund {...props} charge={refunded} onClose={() => setRefunded(undefined)} />}
    </Card>
  );
}

type PaymentProps = {
  readonly invoice: Invoice;
  readonly member: Member;
  readonly onRefund: ((charge: Charge) => void) | undefined;
};

function Payment({ invoice, member, onRefund }: PaymentProps) {
  const { me } = useSession();
  const { text, tone } = stateOf(invoice);
  const paid = invoice.charges.find(({ status }) => status === "succeeded");
  const failed = invoice.charges.find(({ failure_message }) => failure_message !== null);
  const refunded = invoice.charges.reduce((sum, charge) => sum + charge.amount_refunded_cents, 0);
  const failedRefunds = member.metadata.refunds.filter(
    ({ charge_id, status }) => charge_id === paid?.id && status === "failed",
  );
  const isUnknown = paid && attemptsAt(me?.user?.id ?? 0, refundSubject(paid)).find() !== undefined;
  const method = (paid ?? failed)?.payment_method;
  const date = shortDateOf(invoice.paid_at ?? invoice.created_at);
  return (
    <li class="row">
      <div class="row-main">
        <strong class="amount">{moneyOf(invoice.total_cents)}</strong>
        <Badge tone={tone}>{text}</Badge>
        {refunded > 0 && <Badge tone="neutral">{moneyOf(refunded)} refunded</Badge>}
        {isUnknown && <Badge tone="warning">Refund not confirmed</Badge>}
        {paid?.disputed && <Badge tone="danger">Disputed</Badge>}
        <span class="muted">
          {date}
          {method?.last4 && ` · ${cardNameOf(method)}`}
        </span>
        {failed?.failure_message && !paid && <span class="muted">{failureText(failed.failure_message)}</span>}
        {failedRefunds.map(({ refund_id, amount_cents, issued_at }) => (
          <span key={refund_id} class="error">
            The refund of {moneyOf(amount_cents)} of {shortDateOf(issued_at)} failed. {firstNameOf(member.user)} did not
            get it.
          </span>
        ))}
      </div>
      <div class="actions">
        {invoice.hosted_invoice_url && (
          <a class="button quiet" href={invoice.hosted_invoice_url} target="_blank" rel="noreferrer">
            {invoice.status === "open" ? "Page to pay" : "Invoice"}
            <span class="hidden"> of {date}, opens in a new tab</span>
          </a>
        )}
        {onRefund && paid && isUnknown && (
          <Button label={`Check the refund of ${date}`} onClick={() => onRefund(paid)}>
            Check the refund
          </Button>
        )}
        {onRefund && paid && !isUnknown && canRefund(paid) && (
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
  if (status === "open") return { text: `${moneyOf(amount_due_cents)} due`, tone: "warning" };
  if (status === "uncollectible") return { text: "Not collected", tone: "danger" };
  return status === "void" ? { text: "Void", tone: "neutral" } : { text: "Draft", tone: "neutral" };
}
