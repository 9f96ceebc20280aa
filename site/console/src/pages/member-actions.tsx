import { useState } from "preact/hooks";
import { canCancel, cancellationText } from "../data/member-words.ts";
import { dateOf, firstNameOf, nameOf } from "../format.ts";
import { Button } from "../parts/button.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { useOdis } from "../session.tsx";
import type { MemberProps } from "./member.tsx";

type Action = "cancel" | "uncancel" | "block" | "unblock";

const feedbackChoices = [
  { value: "", label: "Not given" },
  { value: "too_expensive", label: "Too expensive" },
  { value: "missing_features", label: "Something is missing" },
  { value: "switched_service", label: "Went to somebody else" },
  { value: "unused", label: "Does not use it" },
  { value: "customer_service", label: "Unhappy with the service" },
  { value: "too_complex", label: "Too complicated" },
  { value: "low_quality", label: "Unhappy with the quality" },
  { value: "other", label: "Another reason" },
];

/** What the owner can do to a membership as a whole. */
export function MemberActions(props: MemberProps) {
  const [action, setAction] = useState<Action>();
  const { member } = props;
  const isLeaving = member.cancel_at !== null && canCancel(member);
  const close = (): void => setAction(undefined);
  return (
    <>
      {isLeaving && <Button onClick={() => setAction("uncancel")}>Keep the subscription</Button>}
      {canCancel(member) && <Button onClick={() => setAction("cancel")}>Cancel the subscription</Button>}
      {member.is_blocked ? (
        <Button onClick={() => setAction("unblock")}>Unblock</Button>
      ) : (
        <Button tone="danger" onClick={() => setAction("block")}>
          Block
        </Button>
      )}
      {action === "cancel" && <Cancel {...props} onClose={close} />}
      {action === "uncancel" && <Uncancel {...props} onClose={close} />}
      {action === "block" && <Block {...props} onClose={close} />}
      {action === "unblock" && <Unblock {...props} onClose={close} />}
    </>
  );
}

type DialogProps = MemberProps & { readonly onClose: () => void };

const member = "/odis/v1/communities/{community_id}/members/{id}" as const;
const pathOf = (props: MemberProps) => ({ community_id: props.communityId, id: props.member.id });
/** The version that a dialog was opened with, again after somebody else has changed the member. */
const rereadOf = (props: MemberProps, values: Readonly<Record<string, string>>) => async () => ({
  values,
  etag: (await props.reread()).etag,
});

function Cancel(props: DialogProps) {
  const odis = useOdis();
  const { etag, onClose, refresh } = props;
  const isLeaving = props.member.cancel_at !== null;
  const mustEndNow = props.member.status === "incomplete" || isLeaving;
  const values = { mode: mustEndNow ? "immediately" : "at_period_end", feedback: "", comment: "" };
  return (
    <FormDialog
      title={`Cancel the subscription of ${nameOf(props.member.user)}`}
      fields={[
        {
          name: "mode",
          label: "When does it end?",
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
        { name: "feedback", label: "Why do they leave?", kind: "select", choices: feedbackChoices, isOptional: true },
        { name: "comment", label: "In their own words", kind: "long", isOptional: true, maxLength: 500 },
      ]}
      opened={{ values, etag }}
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
        await odis.post(`${member}/cancel_subscription`, { params: { path: pathOf(props), header }, body });
        refresh();
      }}
      reread={rereadOf(props, values)}
      onClose={onClose}
    />
  );
}

function Uncancel(props: DialogProps) {
  const odis = useOdis();
  const { etag, onClose, refresh, member: shown } = props;
  return (
    <FormDialog
      title={`Keep the subscription of ${nameOf(shown.user)}`}
      fields={[]}
      opened={{ values: {}, etag }}
      submit="Keep the subscription"
      explain={() => (
        <p>
          The cancellation is withdrawn. {firstNameOf(shown.user)} keeps access, and pays again on{" "}
          {dateOf(shown.current_period_end)}.
        </p>
      )}
      done="The subscription continues."
      send={async (_, header) => {
        await odis.post(`${member}/uncancel_subscription`, { params: { path: pathOf(props), header } });
        refresh();
      }}
      reread={rereadOf(props, {})}
      onClose={onClose}
    />
  );
}

function Block(props: DialogProps) {
  const odis = useOdis();
  const { etag, onClose, refresh, member: shown } = props;
  const name = firstNameOf(shown.user);
  return (
    <FormDialog
      title={`Block ${nameOf(shown.user)}`}
      fields={[
        {
          name: "reason",
          label: "Reason",
          kind: "long",
          isOptional: true,
          maxLength: 500,
          hint: "Only you and admins see it.",
        },
      ]}
      opened={{ values: { reason: "" }, etag }}
      submit={`Block ${name}`}
      tone="danger"
      explain={() => (
        <p>
          {name} loses access now and cannot join again.{" "}
          {canCancel(shown) &&
            "The subscription continues, and so do the payments: cancel it too if that is not wanted."}{" "}
          You can unblock them at any time.
        </p>
      )}
      done={`${name} is blocked.`}
      send={async (_, header, { reason }) => {
        const body = reason === "" ? {} : { reason: String(reason) };
        await odis.post(`${member}/block`, { params: { path: pathOf(props), header }, body });
        refresh();
      }}
      reread={rereadOf(props, { reason: "" })}
      onClose={onClose}
    />
  );
}

function Unblock(props: DialogProps) {
  const odis = useOdis();
  const { etag, onClose, refresh, member: shown } = props;
  const name = firstNameOf(shown.user);
  return (
    <FormDialog
      title={`Unblock ${nameOf(shown.user)}`}
      fields={[]}
      opened={{ values: {}, etag }}
      submit={`Unblock ${name}`}
      explain={() => (
        <p>
          {["active", "trialing", "past_due"].includes(shown.status)
            ? `${name} has access again at once.`
            : `${name} can join again. There is no running subscription, so this gives no access.`}{" "}
          The reason of the block is removed.
        </p>
      )}
      done={`${name} is no longer blocked.`}
      send={async (_, header) => {
        await odis.delete(`${member}/unblock`, { params: { path: pathOf(props), header } });
        refresh();
      }}
      reread={rereadOf(props, {})}
      onClose={onClose}
    />
  );
}
