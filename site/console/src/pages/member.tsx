import { useState } from "preact/hooks";
import { linkBack } from "../data/kept-list.ts";
import { badgeOf, changeOf, isErased, isImported, standingOf } from "../data/member-words.ts";
import type { Member, SubscriptionDetails } from "../data/odis.ts";
import { isMissing } from "../data/problem-text.ts";
import { useLoad } from "../data/use-load.ts";
import { type Versioned, versionOf } from "../data/use-records.ts";
import { dateOf, firstNameOf, mailAddress, moneyOf, nameOf, priceOf } from "../format.ts";
import { Button, ButtonLink } from "../parts/button.tsx";
import { copy } from "../parts/copy.ts";
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
import { SubscriptionCard, useDetails } from "./member-subscription.tsx";
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
  const details = useDetails(communityId, id, changes);

  if (isMissing(load.error)) return <NotFoundPage />;
  const member = load.data?.record;
  const isManual = member !== undefined && isImported(member, details.data);
  const props = load.data && { member: load.data.record, etag: load.data.etag, communityId, isManual, reread, refresh };
  // Not whether there is an address: the first one would move the card, and close its form.
  const isShipped = member?.requires_shipping_address;
  return (
    <Page
      title={member ? nameOf(member.user) : "Member"}
      back={{ href: linkBack(communityId), text: "All members" }}
      lead={member && <MemberLead member={member} />}
      actions={props && !isErased(props.member) && <MemberActions {...props} />}
    >
      <Loaded what="the member" of={load} lines={8}>
        {({ record }) => (
          <>
            <Standing member={record} isManual={isManual} details={details.data} />
            <div class="columns">
              <div class="column">
                {props && isShipped && <AddressCard {...props} />}
                {props && <MemberPayments {...props} changes={changes} />}
              </div>
              <div class="column">
                <MembershipCard member={record} />
                {props && <SubscriptionCard {...props} details={details} />}
                {props && !isShipped && <AddressCard {...props} />}
                {props && <NotesCard {...props} />}
                {props && (
                  <details class="more-details">
                    <summary>Details</summary>
                    <Facts
                      of={[
                        ["Member id", record.id],
                        ["User id", record.user.id],
                      ]}
                    />
                    <CustomDataCard {...props} />
                  </details>
                )}
              </div>
            </div>
            {props && <MemberActivity {...props} changes={changes} />}
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
      <Badge tone={tone}>{text}</Badge>{" "}
      {member.user.email && <a href={`mailto:${mailAddress(member.user.email)}`}>{member.user.email}</a>}
    </p>
  );
}

type StandingProps = {
  readonly member: Member;
  readonly isManual: boolean;
  readonly details: SubscriptionDetails | null | undefined;
};

function Standing({ member, isManual, details }: StandingProps) {
  const { tone } = badgeOf(member);
  const { title, text } = standingOf(member, isManual);
  const invoice = details?.latest_invoice;
  const isOverdue = (member.status === "past_due" || member.status === "unpaid") && !member.is_blocked && !isManual;
  const noticeTone = tone === "good" || tone === "neutral" ? "info" : tone;
  return (
    <Notice tone={noticeTone} title={title}>
      {text && <p>{text}</p>}
      {member.is_blocked && member.block_reason && <p>Reason: {member.block_reason}</p>}
      {isOverdue && <Overdue member={member} invoice={invoice?.status === "open" ? invoice : undefined} />}
      {member.requires_shipping_address && !member.has_shipping_address && (
        <p>The tier includes shipments, but there is no shipping address yet.</p>
      )}
    </Notice>
  );
}

type OverdueProps = {
  readonly member: Member;
  readonly invoice: NonNullable<SubscriptionDetails["latest_invoice"]> | undefined;
};

/** The attempts to collect the open payment, and ways to ask for it. */
function Overdue({ member: { user }, invoice }: OverdueProps) {
  const url = invoice?.hosted_invoice_url;
  const next = invoice?.next_attempt_at;
  const body = `Hello ${user.first_name},\n\nyour last payment could not be taken.${url ? ` You can pay it here: ${url}` : ""}`;
  const subject = "Your payment did not go through";
  const letter = `mailto:${mailAddress(user.email)}?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body)}`;
  return (
    <>
      {invoice && (
        <p>
          {moneyOf(invoice.amount_due_cents)} is due. Tried{" "}
          {invoice.attempts_made === 1 ? "once" : `${invoice.attempts_made} times`}.{" "}
          {next ? `The next attempt is on ${dateOf(next)}.` : "No further attempt is planned."} The open payment below
          says why it failed.
        </p>
      )}
      <div class="actions">
        {user.email && <ButtonLink href={letter}>Email {firstNameOf(user)}</ButtonLink>}
        {url && <Button onClick={() => void copy(url, "link to pay")}>Copy the link to pay</Button>}
      </div>
    </>
  );
}

function MembershipCard({ member }: { readonly member: Member }) {
  const { membership_tier: tier } = member;
  return (
    <Card title="Membership">
      <Facts
        of={[
          ["Tier", tier.name || "Deleted tier"],
          ["List price", priceOf(tier.monthly_price_dollars)],
          ...(member.scheduled_change ? [["Changes to", changeOf(member)] as const] : []),
          ["Member since", dateOf(member.joined_at ?? member.created_at)],
          ["Paid", moneyOf(member.lifetime_spend_cents + member.total_refunded_cents)],
          ["Refunded", moneyOf(member.total_refunded_cents)],
          ["Kept", moneyOf(member.lifetime_spend_cents)],
        ]}
      />
    </Card>
  );
}
