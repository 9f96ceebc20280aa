import { canCancel } from "../data/member-words.ts";
import { firstNameOf, nameOf } from "../format.ts";
import { FormDialog } from "../parts/form-dialog.tsx";
import { useOdis } from "../session.tsx";
import { type MemberDialogProps, memberPath, opening, pathOf } from "./member-props.ts";

export function Block(props: MemberDialogProps) {
  const odis = useOdis();
  const { onClose, refresh, member: shown } = props;
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
          hint: "Visible to the owner, managers, support and admins. It is part of the data that the member can request.",
        },
      ]}
      {...opening(props, () => ({ reason: "" }))}
      submit={`Block ${name}`}
      tone="danger"
      explain={() => (
        <p>
          {name} loses access now and cannot join again.{" "}
          {canCancel(shown) && "The subscription and its payments continue unless you also cancel it."} You can unblock{" "}
          {name} at any time.
        </p>
      )}
      done={`${name} is blocked.`}
      send={async (_, header, { reason }) => {
        const body = reason === "" ? {} : { reason: String(reason) };
        return odis.request("post", `${memberPath}/block`, { params: { path: pathOf(props), header }, body });
      }}
      onClose={onClose}
      onDone={refresh}
    />
  );
}

export function Unblock(props: MemberDialogProps) {
  const odis = useOdis();
  const { onClose, refresh, member: shown } = props;
  const name = firstNameOf(shown.user);
  return (
    <FormDialog
      title={`Unblock ${nameOf(shown.user)}`}
      {...opening(props, ({ is_blocked }) => ({ is_blocked }))}
      target={{ is_blocked: false }}
      submit={`Unblock ${name}`}
      explain={() => (
        <p>
          {["active", "trialing", "past_due"].includes(shown.status)
            ? `${name} has access again immediately.`
            : `${name} can join again, but has no access without a subscription.`}{" "}
          The reason for the block is removed.
        </p>
      )}
      done={`${name} is no longer blocked.`}
      send={async (_, header) => {
        await odis.delete(`${memberPath}/unblock`, { params: { path: pathOf(props), header } });
      }}
      onClose={onClose}
      onDone={refresh}
    />
  );
}
