import { useState } from "preact/hooks";
import { attemptsAt } from "../data/attempts.ts";
import { canCancel } from "../data/member-words.ts";
import { useRights } from "../data/rights.ts";
import { Button } from "../parts/button.tsx";
import { useSession } from "../session.tsx";
import { Block, Unblock } from "./member-block.tsx";
import { Cancel, cancelSubject, Uncancel } from "./member-cancel.tsx";
import { ChangeTier, canChange, DropChange } from "./member-change.tsx";
import type { MemberProps } from "./member-props.ts";

type Action = "change" | "drop" | "cancel" | "uncancel" | "block" | "unblock";

/** The owner's actions for a whole membership. */
export function MemberActions(props: MemberProps) {
  const [action, setAction] = useState<Action>();
  const { me } = useSession();
  const { member } = props;
  const mayChange = useRights(member.community.id)("subscriptions_change");
  const isLeaving = member.cancel_at !== null && canCancel(member);
  const isUnknown = attemptsAt(me?.user?.id ?? 0, cancelSubject(member)).find() !== undefined;
  const close = (): void => setAction(undefined);
  return (
    <>
      {mayChange && canChange(member) && <Button onClick={() => setAction("change")}>Change tier or interval</Button>}
      {mayChange && member.scheduled_change && (
        <Button onClick={() => setAction("drop")}>Drop the scheduled change</Button>
      )}
      {isLeaving && <Button onClick={() => setAction("uncancel")}>Keep the subscription</Button>}
      {isUnknown && <Button onClick={() => setAction("cancel")}>Check the cancellation</Button>}
      {!isUnknown && canCancel(member) && <Button onClick={() => setAction("cancel")}>Cancel the subscription</Button>}
      {member.is_blocked ? (
        <Button onClick={() => setAction("unblock")}>Unblock</Button>
      ) : (
        <Button tone="danger" onClick={() => setAction("block")}>
          Block
        </Button>
      )}
      {action === "change" && <ChangeTier {...props} onClose={close} />}
      {action === "drop" && <DropChange {...props} onClose={close} />}
      {action === "cancel" && <Cancel {...props} onClose={close} />}
      {action === "uncancel" && <Uncancel {...props} onClose={close} />}
      {action === "block" && <Block {...props} onClose={close} />}
      {action === "unblock" && <Unblock {...props} onClose={close} />}
    </>
  );
}
