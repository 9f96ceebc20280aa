import { useState } from "preact/hooks";
import { linkBack } from "../data/kept-list.ts";
import { badgeOf, changeOf, standingOf } from "../data/member-words.ts";
import type { Member } from "../data/odis.ts";
import { isMissing } from "../data/problem-text.ts";
import { useLoad } from "../data/use-load.ts";
import { type Versioned, versionOf } from "../data/use-records.ts";
import { dateOf, firstNameOf, moneyOf, nameOf, priceOf } from "../format.ts";
import { Badge, Card, Facts, Page } from "../parts/page.tsx";
import { Loaded, Notice } from "../parts/states.tsx";
import { useOdis } from "../session.tsx";
import { MemberActions } from "./member-actions.tsx";
import { MemberActivity } from "./member-activity.tsx";
import { AddressCard } from "./member-address.tsx";
import { CustomDataCard } from "./member-custom-data.tsx";
import { NotesCard } from "./member-notes.tsx";
import { MemberPayments } from "./member-payments.tsx";
import { memberPath } from "./member-props.ts";
import { SubscriptionCard } from "./member-subscription.tsx";
import { NotFoundPage } from "./not-found.tsx";

type Props = { readonly communityId: number; readonly id: number };

export function MemberPage({ communityId, id }: Props) {
  const odis = useOdis();
  const [changes, setChanges] = useState(0);
  const read = async (signal?: AbortSignal): Promise<Versioned<Member>> => {
    const params = { path: { community_id: communityId, id } };
    return versionOf(await odis.request("get", memberPath, { params, ...(signal && { signal }) }));
  };
  const load = useLoad(read, [communityId, id, changes]);
  const reread = async (): Promise<Versioned<Member>> => {
    const shown = await read();
    load.setData(shown);
    return shown;
  };
  const refresh = (): void => setChanges((count) => count + 1);

  if (isMissing(load.error)) return <NotFoundPage />;
  const member = load.data?.record;
  const props = load.data && { member: load.data.record, etag: load.data.etag, communityId, reread, refresh };
  return (
    <Page
      title={member ? nameOf(member.user) : "Member"}
      back={{ href: linkBack(communityId), text: "All members" }}
      lead={member && <MemberLead member={member} />}
      actions={props && <MemberActions {...props} />}
    >
      <Loaded what="the member" of={load} lines={8}>
        {({ record }) => (
          <>
            <Standing member={record} />
            <div class="columns">
              <div class="column">
                {props && <MemberPayments {...props} changes={changes} />}
                {props && <MemberActivity {...props} changes={changes} />}
              </div>
              <div class="column">
                <MembershipCard member={record} />
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
  const { title, text } = standingOf(member);
  const noticeTone = tone === "good" || tone === "neutral" ? "info" : tone;
  return (
    <Notice tone={noticeTone} title={title}>
      {text && <p>{text}</p>}
      {member.is_blocked && member.block_reason && <p>Reason: {member.block_reason}</p>}
      {member.status === "past_due" && !member.is_blocked && (
        <p>
          <a href={`mailto:${member.user.email}`}>Email {firstNameOf(member.user)}</a> and ask for another card, which
          members enter in the billing portal. The open invoice below says why the payment failed.
        </p>
      )}
      {member.requires_shipping_address && !member.has_shipping_address && (
        <p>The tier includes shipments, but there is no shipping address yet.</p>
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
          ["List price", priceOf(tier.monthly_price_dollars)],
          ...(member.scheduled_change ? [["Changes to", changeOf(member)] as const] : []),
          ["Member since", dateOf(member.created_at)],
          ["Total paid", moneyOf(member.lifetime_spend_cents)],
          ["Total refunded", moneyOf(member.total_refunded_cents)],
          ["User id", user.id],
        ]}
      />
    </Card>
  );
}
