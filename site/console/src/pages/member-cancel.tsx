import { useState } from "preact/hooks";
import { endedByText } from "../data/activity-words.ts";
import { canCancel, cancellationText, endText, feedbackTexts } from "../data/member-words.ts";
import type { Member } from "../data/odis.ts";
import { dateOf, firstNameOf, nameOf } from "../format.ts";
import { FormDialog } from "../parts/form-dialog.tsx";
import { MoneyDialog } from "../parts/money-dialog.tsx";
import { useOdis, useSession } from "../session.tsx";
import { type MemberDialogProps, memberPath, opening, pathOf, type Shown } from "./member-props.ts";

const feedbackChoices = [
  { value: "", label: "Not given" },
  ...Object.entries(feedbackTexts).map(([value, label]) => ({ value, label })),
];

type CancelBody = {
  readonly mode: "immediately" | "at_period_end";
  readonly feedback?: "other";
  readonly comment?: string;
};

/** Name under which an attempt to cancel a subscription is stored. */
export const cancelSubject = ({ id }: Member): string => `cancel.${id}`;

export function Cancel(props: MemberDialogProps) {
  const odis = useOdis();
  const { me } = useSession();
  const { onClose, refresh, reread } = props;
  const [{ member, etag, endedBy }, setShown] = useState<Shown & { readonly endedBy?: string }>(props);
  const isLeaving = member.cancel_at !== null && member.cancel_at <= member.current_period_end;
  const readAgain = async (): Promise<void> => {
    const { record, etag: version } = await reread();
    const shown = { member: record, etag: version };
    if (!isLeaving && record.cancel_at === null && canCancel(record)) return setShown(shown);
    const params = { path: pathOf(props), query: { per: 100 } };
    const { data } = await odis.get(`${memberPath}/activity`, { params });
    const text = endedByText(record, data, me);
    setShown({ ...shown, ...(text !== undefined && { endedBy: text }) });
  };
  // The periods of an imported member are not renewed.
  const isPast = props.isManual && Date.parse(member.current_period_end) <= Date.now();
  const mustEndNow = member.status === "incomplete" || isLeaving || isPast;
  const values = { mode: mustEndNow ? "immediately" : "at_period_end", feedback: "", comment: "" };
  return (
    <MoneyDialog<CancelBody>
      title={`Cancel the subscription of ${nameOf(member.user)}`}
      subject={cancelSubject(member)}
      opened={{ values, etag }}
      kept={["feedback", "comment"]}
      words={{
        done: "The subscription was canceled.",
        unknown: () => "It is not known whether the subscription was canceled.",
        check: "Check completes the cancellation if it was started. It does not start another one.",
        notDone: "Your cancellation was not made.",
      }}
      isOver={!canCancel(member)}
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
                    label: `At the end of the period, on ${dateOf(member.current_period_end)}`,
                  },
                ]),
            { value: "immediately", label: "Now" },
          ],
        },
        { name: "feedback", label: "Reason", kind: "select", choices: feedbackChoices, isOptional: true },
        { name: "comment", label: "Comment", kind: "long", isOptional: true },
      ]}
      submit="Cancel the subscription"
      explain={({ mode }) => (
        <p>
          {mode === ""
            ? "Choose when it should end to see what will happen."
            : cancellationText(member, String(mode), props.isManual)}
        </p>
      )}
      check={({ mode }) => ({ mode: mode === "" ? "Choose when the subscription should end." : undefined })}
      bodyOf={({ mode, feedback, comment }) => ({
        mode: mode === "immediately" ? "immediately" : "at_period_end",
        ...(feedback !== "" && { feedback: feedback as "other" }),
        ...(comment !== "" && { comment: String(comment) }),
      })}
      post={(body, header) =>
        odis.post(`${memberPath}/cancel_subscription`, { params: { path: pathOf(props), header }, body })
      }
      reread={readAgain}
      startAgain={(entered) => ({ ...entered, mode: "" })}
      onClose={onClose}
      refresh={refresh}
    >
      {(isLeaving || !canCancel(member)) && <p>{endText(member)}</p>}
      {endedBy !== undefined && <p>{endedBy}</p>}
    </MoneyDialog>
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
          The subscription of {firstNameOf(shown.user)} continues after{" "}
          {dateOf(shown.cancel_at ?? shown.current_period_end)}.
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
