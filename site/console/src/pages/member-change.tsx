import { changeOf } from "../data/member-words.ts";
import type { Member, Tier } from "../data/odis.ts";
import { useLoad } from "../data/use-load.ts";
import { ifMatch } from "../data/use-write.ts";
import { dateOf, firstNameOf, nameOf, priceFor } from "../format.ts";
import { FormDialog } from "../parts/form-dialog.tsx";
import { LoadDialog } from "../parts/record-dialog.tsx";
import { useOdis } from "../session.tsx";
import { type MemberDialogProps, memberPath, opening, pathOf } from "./member-props.ts";

type Interval = "month" | "year";

/** Whether the owner can change the subscription. */
export const canChange = ({ status, cancel_at, is_blocked, interval }: Member): boolean =>
  interval !== null && (status === "active" || status === "trialing") && cancel_at === null && !is_blocked;

const offersOf = (tiers: readonly Tier[], { membership_tier, interval: own }: Member) =>
  tiers.flatMap(({ id, name, monthly_price_dollars: monthly, yearly_price_dollars: yearly }) => {
    const offer = (interval: Interval, dollars: number) => ({
      value: `${id} ${interval}`,
      label: `${name}, ${priceFor(dollars, interval)}`,
      isOwn: id === membership_tier.id && interval === own,
    });
    return [offer("month", monthly), ...(yearly === null ? [] : [offer("year", yearly)])].filter(({ isOwn }) => !isOwn);
  });

export function ChangeTier(props: MemberDialogProps) {
  const odis = useOdis();
  const { communityId, member, onClose, refresh } = props;
  const load = useLoad(
    (signal) =>
      odis.get("/odis/v1/communities/{community_id}/tiers", {
        params: { path: { community_id: communityId }, query: { per: 100 } },
        signal,
      }),
    [communityId],
  );
  const title = `Change the membership of ${nameOf(member.user)}`;
  if (!load.data) return <LoadDialog title={title} what="the tiers" of={load} onClose={onClose} />;
  return (
    <FormDialog
      title={title}
      {...opening(props, () => ({ to: "" }))}
      fields={[
        {
          name: "to",
          label: "Change to",
          kind: "select",
          choices: [{ value: "", label: "Choose" }, ...offersOf(load.data.data, member)],
        },
      ]}
      submit="Change the membership"
      explain={() => <p>{whenText(member)}</p>}
      check={({ to }) => ({ to: to === "" ? "Choose a tier." : undefined })}
      done="The membership was changed, or will change at the end of the period."
      send={async (_, header, { to }) => {
        const [tier_id, interval] = String(to).split(" ");
        return odis.request("post", `${memberPath}/change_subscription`, {
          params: { path: pathOf(props), header },
          body: { tier_id: Number(tier_id), interval: interval === "year" ? "year" : "month" },
        });
      }}
      onClose={onClose}
      onDone={refresh}
    />
  );
}

function whenText(member: Member): string {
  const name = firstNameOf(member.user);
  if (member.status === "trialing")
    return `${name} gets the new tier now, keeps the free trial, and pays the new price when it ends, on ${dateOf(member.current_period_end)}.`;
  return `Nothing is charged now. ${name} gets the new tier and pays its price from the end of the period on, which is on ${dateOf(member.current_period_end)}. A tier of the same price and interval begins now.`;
}

export function DropChange(props: MemberDialogProps) {
  const odis = useOdis();
  const { member, onClose, refresh } = props;
  return (
    <FormDialog
      title={`Drop the scheduled change of ${nameOf(member.user)}`}
      {...opening(props, ({ scheduled_change }) => ({ isScheduled: scheduled_change !== null }))}
      target={{ isScheduled: false }}
      submit="Drop the change"
      explain={() => (
        <p>
          {firstNameOf(member.user)} keeps the present tier and interval instead of {changeOf(member)}.
        </p>
      )}
      done="The scheduled change was dropped."
      send={async (_, header) => {
        await odis.delete(`${memberPath}/scheduled_change`, {
          params: { path: pathOf(props), header: ifMatch(header) },
        });
      }}
      onClose={onClose}
      onDone={refresh}
    />
  );
}
