import { useState } from "preact/hooks";
import { badgeOf, standingOf } from "../data/member-words.ts";
import type { Member } from "../data/odis.ts";
import { isMissing } from "../data/problem-text.ts";
import { useLoad } from "../data/use-load.ts";
import { dateOf, firstNameOf, moneyOf, nameOf, priceOf } from "../format.ts";
import { Badge, Card, Facts, Page } from "../parts/page.tsx";
import { Loaded, Notice } from "../parts/states.tsx";
import { linkTo } from "../router.ts";
import { useOdis } from "../session.tsx";
import { MemberActions } from "./member-actions.tsx";
import { MemberActivity } from "./member-activity.tsx";
import { AddressCard, CustomDataCard, NotesCard } from "./member-details.tsx";
import { MemberPayments } from "./member-payments.tsx";
import { SubscriptionCard } from "./member-subscription.tsx";
import { NotFoundPage } from "./not-found.tsx";

/** A member with the version that the page shows. */
export type Shown = { readonly member: Member; readonly etag: string };
/** What the cards of the page need. */
export type MemberProps = Shown & {
  readonly communityId: number;
  /** Reads the member again and shows it. */
  readonly reread: () => Promise<Shown>;
  /** Shows again everything about the member, after it has been changed. */
  readonly refresh: () => void;
};

type Props = { readonly communityId: number; readonly id: number };

export function MemberPage({ communityId, id }: Props) {
  const odis = useOdis();
  const [changes, setChanges] = useState(0);
  const read = async (signal?: AbortSignal): Promise<Shown> => {
    const path = { community_id: communityId, id };
    const { data, headers } = await odis.request("get", "/odis/v1/communities/{community_id}/members/{id}", {
      params: { path },
      ...(signal && { signal }),
    });
    return { member: data, etag: headers.get("etag") ?? "" };
  };
  const load = useLoad(read, [communityId, id, changes]);
  const reread = async (): Promise<Shown> => {
    const shown = await read();
    load.setData(shown);
    return shown;
  };
  const refresh = (): void => setChanges((count) => count + 1);

  if (isMissing(load.error)) return <NotFoundPage />;
  const { data } = load;
  const props = data && { ...data, communityId, reread, refresh };
  return (
    <Page
      title={data ? nameOf(data.member.user) : "Member"}
      back={{ href: linkTo(["communities", communityId, "members"]), text: "All members" }}
      lead={data && <MemberLead member={data.member} />}
      actions={props && <MemberActions {...props} />}
    >
      <Loaded what="the member" of={load} lines={8}>
        {({ member }) => (
          <>
            <Standing member={member} />
            <div class="columns">
              <div class="column">
                {props && <MemberPayments {...props} changes={changes} />}
                {props && <MemberActivity {...props} changes={changes} />}
              </div>
              <div class="column">
                <MembershipCard member={member} />
                {props && <SubscriptionCard {...props} changes={changes} />}
                {props && <AddressCard {...props} />}
                {props && <NotesCard {...props} />}
                {props && <CustomDataCard {...props} />}
              </div>
            </div>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function MemberLead({ member }: { readonly member: Member }) {
  const { text, tone } = badgeOf(member);
  return (
    <p class="member-lead">
      <Badge tone={tone}>{text}</Badge> <a href={`mailto:${member.user.email}`}>{member.user.email}</a>
    </p>
  );
}

function Standing({ member }: { readonly member: Member }) {
  const { tone } = badgeOf(member);
  const noticeTone = tone === "good" || tone === "neutral" ? "info" : tone;
  return (
    <Notice tone={noticeTone} title={standingOf(member)}>
      {member.is_blocked && member.block_reason && <p>Reason: {member.block_reason}</p>}
      {member.status === "past_due" && !member.is_blocked && (
        <p>
          <a href={`mailto:${member.user.email}`}>Write to {firstNameOf(member.user)}</a>: the card can be changed in
          the billing portal. Below are the open invoice and why the payment failed.
        </p>
      )}
      {member.requires_shipping_address && !member.has_shipping_address && (
        <p>Their tier includes shipments, but there is no address yet.</p>
      )}
    </Notice>
  );
}

function MembershipCard({ member }: { readonly member: Member }) {
  const { membership_tier: tier, user } = member;
  return (
    <Card title="Membership">
      <Facts
        of={[
          ["Tier", tier.name || "Deleted tier"],
          ["Price for new members", priceOf(tier.monthly_price_dollars)],
          ["Member since", dateOf(member.created_at)],
          ["Paid in total", moneyOf(member.lifetime_spend_cents)],
          ["Refunded in total", moneyOf(member.total_refunded_cents)],
          ["User id", user.id],
        ]}
      />
    </Card>
  );
}
