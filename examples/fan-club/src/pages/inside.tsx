import type { Membership } from "@odis/client";
import { useEffect, useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { dateOf } from "../format.ts";
import { Art } from "../parts/art.tsx";
import { Empty, Failure, Notice, Skeleton } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { useSession } from "../session.tsx";
import { useRequest } from "../use-request.ts";

/** How long the page waits for access after a payment, in milliseconds. */
const timeout = 20_000;

/** What only members see. The API decides: `access.granted` opens the page, and `benefits` is what to show. */
export function Inside() {
  const { odis, user } = useSession();
  const { slug = "" } = useRoute().params;
  const here = useLocation();
  const [hasJoined] = useState(here.query.joined !== undefined);
  const { data, error, isLoading, reload } = useRequest(
    async (signal) => {
      const { data: found } = await odis.get("/odis/v1/communities", { params: { query: { slug } }, signal });
      const [community] = found;
      if (!community || !user) return null;
      const path = { community_id: community.id };
      const membership = hasJoined
        ? await odis.waitForAccess(community.id, { timeout, signal })
        : await odis.get("/odis/v1/communities/{community_id}/membership", { params: { path }, signal });
      return { community, membership };
    },
    [odis, slug, user?.email],
  );

  const access = data?.membership.access;
  const isExpected = hasJoined && !access?.granted && access?.reason !== "blocked";

  // A bookmark of the page is not a return from the checkout.
  useEffect(() => {
    if (hasJoined && access?.granted) here.route(here.path, true);
  }, [access?.granted]);

  if (error !== undefined)
    return (
      <Page title="Inside" kind="narrow">
        <Failure title="This page could not be loaded" error={error} onRetry={reload} />
      </Page>
    );
  if (user === null) return <Locked slug={slug} reason="Sign in to see what is inside." />;
  if (isExpected && isLoading)
    return (
      <Page title="Confirming your payment" kind="narrow" lead="This takes a moment.">
        <Skeleton label="Waiting for the payment" count={3} kind="rows" />
      </Page>
    );
  if (!data)
    return (
      <div class="page narrow">
        <Skeleton label="Loading what is inside" count={3} kind="rows" />
      </div>
    );
  const { community, membership } = data;
  if (isExpected)
    return (
      <Page
        title="Your payment is not confirmed yet"
        kind="narrow"
        lead="This takes longer than usual. You can close this page. Your membership starts as soon as the payment is confirmed."
      >
        <div class="actions">
          <button type="button" class="button" onClick={reload}>
            Check again
          </button>
          <a class="button quiet" href={`/c/${slug}`}>
            See the tiers
          </a>
        </div>
      </Page>
    );
  if (!membership.access.granted)
    return <Locked slug={slug} reason={reasons[membership.access.reason] ?? reasons.not_a_member} />;

  return (
    <Page
      title={`Inside ${community.name}`}
      kind="narrow"
      before={
        <p class="eyebrow">
          <a href={`/c/${slug}`}>{community.name}</a>
        </p>
      }
      lead={membership.tier ? `Everything that ${membership.tier.name} opens for you.` : undefined}
    >
      {hasJoined && (
        <Notice kind="good">
          <strong>Welcome{user?.first_name && `, ${user.first_name}`}!</strong> Your membership is active.
        </Notice>
      )}
      <Until membership={membership} />
      {membership.benefits.length === 0 && (
        <Empty title={membership.access.reason === "owner" ? "You own this community" : "No benefits yet"}>
          <p>
            {membership.access.reason === "owner"
              ? "Members see the benefits of their tier here."
              : "The owner has not announced the benefits of your tier."}
          </p>
        </Empty>
      )}
      <ol class="perk-list">
        {membership.benefits.map(({ id, name, description }) => (
          <li key={id}>
            <Art seed={name} class="stamp" />
            <div>
              <h2>{name}</h2>
              <p class="muted">{description || "Ask the owner for details."}</p>
            </div>
          </li>
        ))}
      </ol>
    </Page>
  );
}

function Until({ membership: { access, current_period_end } }: { readonly membership: Membership }) {
  if (access.reason === "past_due")
    return <Notice kind="bad">Your last payment failed. Update your card to keep your membership.</Notice>;
  if (access.reason === "canceling" && current_period_end)
    return <Notice>You canceled. Your membership lasts until {dateOf(current_period_end)}.</Notice>;
  return null;
}

const reasons = {
  not_a_member: "Join a tier to see what is inside.",
  blocked: "The owner of this community has blocked your membership.",
  ended: "Your membership has ended. Join again to come back.",
  unpaid: "Your payments have failed. Update your card to come back.",
  incomplete: "Your payment is not complete. Join again to finish it.",
} as Record<string, string> & { not_a_member: string };

const Locked = ({ slug, reason }: { readonly slug: string; readonly reason: string }) => (
  <Page title="Members only" kind="narrow" before={<Art seed={slug} class="locked" />} lead={reason}>
    <div class="actions">
      <a class="button" href={`/c/${slug}`}>
        See the tiers
      </a>
      <a class="button quiet" href={`/sign-in?to=/c/${slug}/inside`}>
        Sign in
      </a>
    </div>
  </Page>
);
