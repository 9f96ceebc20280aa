import { refundsText, refundText } from "../data/member-words.ts";
import type { Charge, Member } from "../data/odis.ts";
import { useLoad } from "../data/use-load.ts";
import type { Versioned } from "../data/use-records.ts";
import { amountOf, centsOf, dateOf, moneyOf, nameOf } from "../format.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { MoneyDialog } from "../parts/money-dialog.tsx";
import { Loaded } from "../parts/states.tsx";
import { useOdis, useSession } from "../session.tsx";
import { type MemberDialogProps, memberPath, pathOf } from "./member-props.ts";

type Props = MemberDialogProps & { readonly charge: Charge };
type RefundBody = {
  readonly charge_id: string;
  readonly amount_cents: number;
  readonly reason: "duplicate" | "fraudulent" | "requested_by_customer";
  readonly note?: string;
};
type Shown = Versioned<Member> & { readonly charge: Charge };

/** Name under which an attempt to refund a charge is stored. */
export const refundSubject = ({ id }: Charge): string => `refund.${id}`;

/** Whether a refund of the charge is possible. Stripe refuses it for a charge that the member has disputed. */
export const canRefund = ({ refundable_cents, disputed }: Charge): boolean => refundable_cents > 0 && !disputed;

export function Refund(props: Props) {
  const odis = useOdis();
  const { onClose, reread, charge } = props;
  const title = `Refund ${nameOf(props.member.user)}`;
  const read = async (): Promise<Shown> => {
    // Reads the member first. A refund between the two reads changes the member's version, so that the form is refused.
    const versioned = await reread();
    const params = { path: pathOf(props), query: { per: 100 } };
    for await (const { charges } of odis.iterate(`${memberPath}/payment_history`, { params })) {
      const current = charges.find(({ id }) => id === charge.id);
      if (current) return { ...versioned, charge: current };
    }
    throw new Error("The payment was not found.");
  };
  const load = useLoad(read, [charge.id]);
  if (load.data)
    return <RefundForm {...props} title={title} shown={load.data} readAgain={async () => load.setData(await read())} />;
  return (
    <Dialog title={title} onClose={onClose}>
      <Loaded what="the payment" of={load}>
        {() => null}
      </Loaded>
      <div class="actions end">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}

type FormProps = Props & { readonly title: string; readonly shown: Shown; readonly readAgain: () => Promise<void> };

function RefundForm({ title, shown, readAgain, onClose, refresh, ...props }: FormProps) {
  const odis = useOdis();
  const { me } = useSession();
  const { charge, record: member, etag } = shown;
  const left = moneyOf(charge.refundable_cents);
  const check = (amount: unknown): string | undefined => {
    const cents = centsOf(String(amount));
    if (cents === undefined || cents === 0) return "Enter an amount in dollars, such as 12.50.";
    return cents > charge.refundable_cents ? `At most ${left} of this payment can be refunded.` : undefined;
  };
  const values = { amount: amountOf(charge.refundable_cents), reason: "requested_by_customer", note: "" };
  return (
    <MoneyDialog<RefundBody>
      title={title}
      subject={refundSubject(charge)}
      opened={{ values, etag }}
      kept={["reason", "note"]}
      words={{
        done: "The payment was refunded.",
        unknown: ({ amount_cents }) => `It is not known whether ${moneyOf(amount_cents)} was refunded.`,
        check: "Check completes the refund if it was started. It never refunds twice.",
        notDone: "Your refund was not made.",
      }}
      isOver={!canRefund(charge)}
      fields={[
        {
          name: "amount",
          label: "Amount",
          kind: "money",
          hint: `Paid on ${dateOf(charge.created_at)}: ${moneyOf(charge.amount_cents)}. Refundable: ${left}.`,
        },
        {
          name: "reason",
          label: "Reason",
          kind: "select",
          choices: [
            { value: "requested_by_customer", label: "Requested by the member" },
            { value: "duplicate", label: "Duplicate payment" },
            { value: "fraudulent", label: "Fraudulent payment" },
          ],
        },
        { name: "note", label: "Note", kind: "long", isOptional: true, hint: "For your own records." },
      ]}
      submit="Refund"
      explain={({ amount }) => {
        const cents = centsOf(String(amount)) ?? 0;
        return <p>{check(amount) ? "Enter an amount to see what will happen." : refundText(member, cents)}</p>;
      }}
      check={({ amount }) => ({ amount: check(amount) })}
      bodyOf={({ amount, reason, note }) => ({
        charge_id: charge.id,
        amount_cents: centsOf(String(amount)) ?? 0,
        reason: reason as "duplicate",
        ...(note !== "" && { note: String(note) }),
      })}
      post={(body, header) => {
        const path = pathOf({ ...props, member });
        return odis.post(`${memberPath}/refund_charge`, { params: { path, header }, body });
      }}
      reread={readAgain}
      startAgain={(entered) => ({ ...entered, amount: "" })}
      onClose={onClose}
      refresh={refresh}
    >
      {refundsText(member, charge, me?.user?.id).map((line) => (
        <p key={line}>{line}</p>
      ))}
    </MoneyDialog>
  );
}
