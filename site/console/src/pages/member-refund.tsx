import { refundText } from "../data/member-words.ts";
import type { Charge } from "../data/odis.ts";
import { amountOf, centsOf, dateOf, moneyOf, nameOf } from "../format.ts";
import { FormDialog } from "../parts/form-dialog.tsx";
import { useOdis } from "../session.tsx";
import { type MemberDialogProps, memberPath, opening, pathOf } from "./member-props.ts";

export function Refund(props: MemberDialogProps & { readonly charge: Charge }) {
  const odis = useOdis();
  const { charge, member, onClose, refresh } = props;
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
        { name: "note", label: "Note", kind: "long", isOptional: true, maxLength: 500, hint: "For your own records." },
      ]}
      {...opening(props, () => values)}
      submit="Refund"
      tone="danger"
      explain={({ amount }) => {
        const cents = centsOf(String(amount)) ?? 0;
        return <p>{check(amount) ? "Enter an amount to see what will happen." : refundText(member, cents)}</p>;
      }}
      check={({ amount }) => ({ amount: check(amount) })}
      done="The payment was refunded."
      send={async (_, header, { amount, reason, note }) => {
        await odis.post(`${memberPath}/refund_charge`, {
          params: { path: pathOf(props), header },
          body: {
            charge_id: charge.id,
            amount_cents: centsOf(String(amount)) ?? 0,
            reason: reason as "duplicate",
            ...(note !== "" && { note: String(note) }),
          },
        });
      }}
      onClose={onClose}
      onDone={refresh}
    />
  );
}
