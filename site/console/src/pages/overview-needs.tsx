import type { ComponentChildren } from "preact";
import { destinationName, destinationState } from "../data/destination-words.ts";
import { type Group, type GroupName, readGroup } from "../data/member-groups.ts";
import { feedbackTexts } from "../data/member-words.ts";
import type { Destination, Member, Odis, Transaction } from "../data/odis.ts";
import { type ConsoleRight, useRights } from "../data/rights.ts";
import { disputeText, readOpenDisputes } from "../data/transactions.ts";
import { useLoad } from "../data/use-load.ts";
import { countOf, dateOf, mailAddress, nameOf, roundMoneyOf } from "../format.ts";
import { ButtonLink } from "../parts/button.tsx";
import { Card } from "../parts/page.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { linkTo } from "../router.ts";
import { useOdis } from "../session.tsx";

/** Something that needs the owner: what it is, who it is about, and what to do. */
type Need = {
  readonly title: string;
  readonly href: string;
  readonly text: string;
  readonly action: ComponentChildren;
};

type Source = { readonly odis: Odis; readonly communityId: number; readonly signal: AbortSignal };
/** Reads what needs the owner, with the right that it takes. Another kind of need is another entry. */
const sources: readonly { readonly right: ConsoleRight; readonly read: (source: Source) => Promise<Need[]> }[] = [
  { right: "activity_read", read: disputes },
  { right: "members_read", read: overdue },
  { right: "members_read", read: withoutAddress },
  { right: "members_read", read: leaving },
  { right: "owner", read: failingDestinations },
  { right: "owner", read: openInvitations },
];

/** What needs the owner, with an action for each. */
export function Needs({ communityId }: { readonly communityId: number }) {
  const odis = useOdis();
  const may = useRights(communityId);
  const readable = sources.filter(({ right }) => may(right));
  const load = useLoad(
    async (signal) => (await Promise.all(readable.map(({ read }) => read({ odis, communityId, signal })))).flat(),
    [communityId],
  );
  if (readable.length === 0) return null;
  return (
    <Card title="Needs you">
      <Loaded what="what needs you" of={load} lines={3}>
        {(needs) =>
          needs.length === 0 ? (
            <Empty title="Nothing needs you today">
              <p>
                {may("owner") ? "Payments, addresses and connections" : "Payments and addresses"} are fine. Overdue
                payments and people who leave appear here.
              </p>
            </Empty>
          ) : (
            <ul class="rows">
              {needs.map(({ title, href, text, action }) => (
                <li key={href} class="row">
                  <div class="row-main">
                    <a class="need" href={href}>
                      {title}
                    </a>
                    <span class="muted">{text}</span>
                  </div>
                  <div class="actions">{action}</div>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

const linkToGroup = (communityId: number, group: GroupName): string =>
  linkTo(["communities", communityId, "members"], { group });

const countIn = ({ count, isMore }: Group, noun: string): string =>
  `${isMore ? "More than " : ""}${countOf(count, noun)}`;

/** `Ana Ruiz, Bo Li and 3 more` */
function namesOf({ members, count, isMore }: Group): string {
  const names = members.slice(0, 2).map(({ user }) => nameOf(user));
  if (isMore) return `${names.join(", ")} and others`;
  return count > names.length ? `${names.join(", ")} and ${count - names.length} more` : names.join(" and ");
}

/** How many addresses a link to a message takes before some mail programs cut it off. */
const maxRecipients = 40;

/** Opens a message to the members, or the list of them, from which all addresses can be copied. */
function write(group: Group, href: string, subject: string, body: string) {
  const emails = group.members.map(({ user }) => user.email).filter(Boolean);
  if (group.count > maxRecipients || emails.length === 0) return <ButtonLink href={href}>See all</ButtonLink>;
  const to = emails.map(mailAddress).join(",");
  const text = `subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body)}`;
  return (
    <ButtonLink href={emails.length === 1 ? `mailto:${to}?${text}` : `mailto:?bcc=${to}&${text}`}>
      Write<span class="hidden"> an email: {subject}</span>
    </ButtonLink>
  );
}

async function overdue({ odis, communityId, signal }: Source): Promise<Need[]> {
  const group = await readGroup(odis, communityId, "overdue", { signal });
  if (group.count === 0) return [];
  const href = linkToGroup(communityId, "overdue");
  const cents = group.members.reduce((sum, { price_cents }) => sum + (price_cents ?? 0), 0);
  const least = group.count > group.members.length ? "More than " : "";
  // Imported members pay outside of Stripe, so their price is not known.
  const risk = cents === 0 ? "" : `${least}${roundMoneyOf(cents)} a renewal at risk: `;
  return [
    {
      title: `${countIn(group, "payment")} overdue`,
      href,
      text: `${risk}${namesOf(group)}`,
      action: write(
        group,
        href,
        "Your payment did not go through",
        "Hello,\n\nyour last payment could not be taken. Please check your card in your account.\n\nThank you!",
      ),
    },
  ];
}

const personIn = ({ member: { name } }: Transaction): string => name ?? "Erased person";

/** `$35 in dispute: Ana Ruiz and Bo Li. The first one is due on December 3, 2026` */
function disputesText(open: readonly Transaction[]): string {
  const cents = open.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
  const names = open.slice(0, 2).map(personIn);
  const people = open.length > 2 ? `${names.join(", ")} and ${open.length - 2} more` : names.join(" and ");
  const dueAt = open[0]?.evidence_due_at;
  return `${roundMoneyOf(cents)} in dispute: ${people}${dueAt ? `. Answer the first one by ${dateOf(dueAt)}` : ""}`;
}

async function disputes({ odis, communityId, signal }: Source): Promise<Need[]> {
  const open = await readOpenDisputes(odis, communityId, signal);
  const [first] = open;
  if (!first) return [];
  return [
    {
      title: `${countOf(open.length, "dispute")} to answer`,
      href: linkTo(["communities", communityId, "payments"], { type: "dispute" }),
      text: open.length === 1 ? `${personIn(first)}: ${disputeText(first)}` : disputesText(open),
      action: (
        <ButtonLink href={first.stripe_url}>
          Answer<span class="hidden"> the dispute in Stripe</span>
        </ButtonLink>
      ),
    },
  ];
}

async function withoutAddress({ odis, communityId, signal }: Source): Promise<Need[]> {
  const group = await readGroup(odis, communityId, "no_address", { signal });
  if (group.count === 0) return [];
  const href = linkToGroup(communityId, "no_address");
  return [
    {
      title: `${countIn(group, "parcel")} without an address`,
      href,
      text: namesOf(group),
      action: write(
        group,
        href,
        "Where may we send your parcel?",
        "Hello,\n\nyour membership includes parcels, but we have no address yet. Where may we send them?\n\nThank you!",
      ),
    },
  ];
}

async function leaving({ odis, communityId, signal }: Source): Promise<Need[]> {
  const group = await readGroup(odis, communityId, "leaving", { signal });
  if (group.count === 0) return [];
  const href = linkToGroup(communityId, "leaving");
  // Reasons are read from Stripe, one request each.
  const shown = await Promise.all(group.members.slice(0, 2).map((member) => leavingText(odis, member, signal)));
  return [
    {
      title: `${group.isMore ? "More than " : ""}${countOf(group.count, "member")} leaving, who could stay`,
      href,
      text: [...shown, ...(group.count > shown.length ? [`${group.count - shown.length} more`] : [])].join("; "),
      action: write(
        group,
        href,
        "We would like you to stay",
        "Hello,\n\nyour membership is about to end. What would make you stay?\n\nThank you!",
      ),
    },
  ];
}

/** `Ana Ruiz on 3 December 2026, reason: too expensive` */
async function leavingText(odis: Odis, { id, user, community, cancel_at }: Member, signal: AbortSignal) {
  const path = { community_id: community.id, id };
  const details = await odis
    .get("/odis/v1/communities/{community_id}/members/{id}/subscription_details", { params: { path }, signal })
    .catch(() => undefined);
  const reason = details?.cancellation_comment || feedbackTexts[details?.cancellation_feedback ?? ""]?.toLowerCase();
  return `${nameOf(user)}${cancel_at ? ` on ${dateOf(cancel_at)}` : ""}${reason ? `, reason: ${reason}` : ""}`;
}

/** A destination that somebody has disabled needs no repair, although its last attempts have failed. */
const needsRepair = ({ disabled_reason, status, failing_since }: Destination): boolean =>
  disabled_reason !== null || (status === "enabled" && failing_since !== null);

async function failingDestinations({ odis, communityId, signal }: Source): Promise<Need[]> {
  const params = { path: { community_id: communityId }, query: { per: 100 } };
  const { data } = await odis.get("/odis/v1/communities/{community_id}/event_destinations", { params, signal });
  return data.filter(needsRepair).map((destination) => {
    const href = linkTo(["communities", communityId, "event-destinations", destination.id]);
    const name = destinationName(destination);
    const { text } = destinationState(destination);
    const what = destination.disabled_reason === null ? "fails" : "was disabled";
    return {
      title: `The event destination ${name} ${what}`,
      href,
      text: text ?? "",
      action: (
        <ButtonLink href={href}>
          Look<span class="hidden"> at the event destination {name}</span>
        </ButtonLink>
      ),
    };
  });
}

async function openInvitations({ odis, communityId, signal }: Source): Promise<Need[]> {
  const params = { path: { community_id: communityId }, query: { per: 100 } };
  const { data } = await odis.get("/odis/v1/communities/{community_id}/invitations", { params, signal });
  if (data.length === 0) return [];
  const href = linkTo(["communities", communityId, "team"]);
  return [
    {
      title: `${countOf(data.length, "invitation")} to the team not accepted yet`,
      href,
      text: data
        .slice(0, 2)
        .map(({ email, expires_at }) => `${email} until ${dateOf(expires_at)}`)
        .join(", "),
      action: (
        <ButtonLink href={href}>
          Remind<span class="hidden"> invited people</span>
        </ButtonLink>
      ),
    },
  ];
}
