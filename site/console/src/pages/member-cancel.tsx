import { cancellationText } from "../data/member-words.ts";
import { dateOf, firstNameOf, nameOf } from "../format.ts";
import { FormDialog } from "../parts/form-dialog.tsx";
import { useOdis } from "../session.tsx";
import { type MemberDialogProps, memberPath, opening, pathOf } from "./member-props.ts";

const feedbackChoices = [
  { value: "", label: "Not given" },
  { value: "too_expensive", label: "Too expensive" },
  { value: "missing_features", label: "Missing features" },
  { value: "switched_service", label: "Switched to another service" },
  { value: "unused", label: "Not used" },
  { value: "customer_service", label: "Poor customer service" },
  { value: "too_complex", label: "Too complex" },
  { value: "low_quality", label: "Low quality" },
  { value: "other", label: "Other" },
];

export function Cancel(props: MemberDialogProps) {
  const odis = useOdis();
  const { onClose, refresh } = props;
  const isLeaving = props.member.cancel_at !== null;
  const mustEndNow = props.member.status === "incomplete" || isLeaving;
  const values = { mode: mustEndNow ? "immediately" : "at_period_end", feedback: "", comment: "" };
  return (
    <FormDialog
      title={`Cancel the subscription of ${nameOf(props.member.user)}`}
      fields={[
        {
          name: "mode",
          label: "When should it end?",
          kind: "radio",
          choices: [
            ...(mustEndNow
              ? []
              : [
                  {
                    value: "at_period_end",
                    label: `At the end of the period, on ${dateOf(props.member.current_period_end)}`,
                  },
                ]),
            { value: "immediately", label: "Now" },
          ],
        },
        { name: "feedback", label: "Reason", kind: "select", choices: feedbackChoices, isOptional: true },
        { name: "comment", label: "Comment", kind: "long", isOptional: true, maxLength: 500 },
      ]}
      {...opening(props, () => values)}
      submit="Cancel the subscription"
      tone="danger"
      explain={({ mode }) => <p>{cancellationText(props.member, String(mode))}</p>}
      done="The subscription was canceled."
      send={async (_, header, { mode, feedback, comment }) => {
        const body = {
          mode: mode === "immediately" ? "immediately" : "at_period_end",
          ...(feedback !== "" && { feedback: feedback as "other" }),
          ...(comment !== "" && { comment: String(comment) }),
        } as const;
        await odis.post(`${memberPath}/cancel_subscription`, { params: { path: pathOf(props), header }, body });
      }}
      onClose={onClose}
      onDone={refresh}
    />
  );
}

export function Uncancel(props: MemberDialogProps) {
  const odis = useOdis();
  const { onClose, refresh, member: shown } = props;
  return (
    <FormDialog
      title={`Keep the subscription of ${nameOf(shown.user)}`}
      {...opening(props)}
      submit="Keep the subscription"
      explain={() => (
        <p>
          The subscription of {firstNameOf(shown.user)} continues after {dateOf(shown.current_period_end)}.
        </p>
      )}
      done="The subscription continues."
      send={async (_, header) => {
        await odis.post(`${memberPath}/uncancel_subscription`, { params: { path: pathOf(props), header } });
      }}
      onClose={onClose}
      onDone={refresh}
    />
  );
}
