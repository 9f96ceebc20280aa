import type { Membership, Tier } from "@odis/client";
import { useEffect, useRef } from "preact/hooks";
import { useRoute } from "preact-iso";
import { dateOf, membersOf, priceOf } from "../format.ts";
import { Art } from "../parts/art.tsx";
import { ManageButton } from "../parts/manage-button.tsx";
import { Empty, Failure, Notice, Skeleton } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { messageOf, useSession } from "../session.tsx";
import { useAction, useRequest } from "../use-request.ts";

export function Community() {
  const { odis, user } = useSession();
  const { slug = "" } = useRoute().params;
  const { data, error, reload } = useRequest(
    async (signal) => {
      const anonymous = true;
      const query = { slug };
      const { data: found } = await odis.get("/odis/v1/communities", { params: { query }, anonymous, signal });
      const [community] = found;
      if (!community) return null;
      const path = { community_id: community.id };
      const params = { path, query: { per: 100 } };
      const tiers = await odis.get("/odis/v1/communities/{community_id}/tiers", { params, anonymous, signal });
      return { community, tiers: tiers.data };
    },
    [odis, slug],
  );
  const id = data?.community.id;
  const { data: membership } = useRequest(
    async (signal) => {
      if (!user || id === undefined) return undefined;
      const path = { community_id: id };
      return odis.get("/odis/v1/communities/{community_id}/membership", { params: { path }, signal });
    },
    [odis, id, user?.email],
  );

  if (error !== undefined)
    return (
      <Page title="Community" kind="narrow">
        <Failure title="The community could not be loaded" error={error} onRetry={reload} />
      </Page>
    );
  if (data === undefined)
    return (
      <div class="page wide">
        <Skeleton label="Loading the community" kind="banner" />
        <Skeleton label="Loading the tiers" count={3} kind="tall" />
      </div>
    );
  if (data === null)
    return (
      <Page title="There is no such community" kind="narrow" lead="Its name may have changed.">
        <a class="button" href="/">
          Explore communities
        </a>
      </Page>
    );

  const { community, tiers } = data;
  const isOpen = community.status === "active";
  return (
    <Page
      title={community.name}
      before={
        <div class="banner">
          {community.avatar_url === null ? <Art seed={community.slug} /> : <img src={community.avatar_url} alt="" />}
        </div>
      }
      lead={
        <>
          {membersOf(community.member_count)}
          {community.trending && <span class="chip">Trending</span>}
        </>
      }
    >
      {membership && <Standing membership={membership} communityId={community.id} slug={slug} />}
      {!isOpen && <Notice>This community is archived. It does not take new members.</Notice>}
      <h2>Tiers</h2>
      {tiers.length === 0 && (
        <Empty title="There are no tiers yet">
          <p>The owner has not opened this community for members.</p>
        </Empty>
      )}
      <ul class="tiers">
        {tiers.map((tier) => (
          <TierCard
            key={tier.id}
            tier={tier}
            communityId={community.id}
            slug={slug}
            isTheirs={membership?.is_member === true && membership.tier?.id === tier.id}
            canJoin={isOpen && !membership?.is_member && membership?.access.reason !== "blocked"}
          />
        ))}
      </ul>
    </Page>
  );
}

type StandingProps = { readonly membership: Membership; readonly communityId: number; readonly slug: string };

/** What a visitor who is signed in is to this community. */
function Standing({ membership: { access, is_member, tier, current_period_end }, communityId, slug }: StandingProps) {
  if (access.reason === "blocked")
    return <Notice kind="bad">The owner of this community has blocked your membership.</Notice>;
  if (!access.granted) return null;
  const until = current_period_end && dateOf(current_period_end);
  return (
    <section class="standing" aria-label="Your membership">
      <div>
        <p class="standing-title">
          {access.reason === "owner" ? "This is your community" : `You are in: ${tier?.name ?? "member"}`}
        </p>
        {until && <p class="muted">{access.reason === "canceling" ? `Ends on ${until}` : `Renews on ${until}`}</p>}
      </div>
      <div class="actions">
        <a class="button" href={`/c/${slug}/inside`}>
          Go inside
        </a>
        {is_member && <ManageButton communityId={communityId} returnTo={`/c/${slug}`} />}
      </div>
    </section>
  );
}

type TierCardProps = {
  readonly tier: Tier;
  readonly communityId: number;
  readonly slug: string;
  readonly isTheirs: boolean;
  readonly canJoin: boolean;
};

function TierCard({ tier, communityId, slug, isTheirs, canJoin }: TierCardProps) {
  const { odis, user } = useSession();
  const { isRunning, error, run } = useAction(async () => {
    const { url } = await odis.post("/odis/v1/communities/{community_id}/checkout_sessions", {
      params: { path: { community_id: communityId } },
      body: {
        tier_id: tier.id,
        success_url: `${location.origin}/c/${slug}/inside?joined=1`,
        cancel_url: `${location.origin}/c/${slug}`,
      },
    });
    location.assign(url);
  });
  const card = useRef<HTMLLIElement>(null);
  useEffect(() => {
    // A link to join this tier, such as that of the console.
    if (location.hash === `#${card.current?.id}`) card.current?.scrollIntoView({ block: "center" });
  }, []);
  const join = tier.trial_days > 0 ? `Try it for ${tier.trial_days} days` : `Join ${tier.name}`;
  return (
    <li ref={card} id={`tier-${tier.id}`} class={`tier ${isTheirs ? "theirs" : ""}`}>
      <h3>
        {tier.name} {isTheirs && <span class="chip">Your tier</span>}
      </h3>
      <p class="price">
        {priceOf(tier.monthly_price_dollars)}
        {tier.monthly_price_dollars > 0 && <span> a month</span>}
      </p>
      <p class="muted small">
        {tier.trial_days > 0 ? `${tier.trial_days} days free for new members` : "Cancel at any time"}
      </p>
      {tier.benefits.length > 0 ? (
        <ul class="perks">
          {tier.benefits.map(({ id, name }) => (
            <li key={id}>{name}</li>
          ))}
        </ul>
      ) : (
        <p class="muted">No benefits have been announced yet.</p>
      )}
      <div class="tier-end">
        {tier.requires_shipping_address && <p class="muted small">Ships to you: checkout asks for your address.</p>}
        {error !== undefined && <Notice kind="bad">{messageOf(error)}</Notice>}
        {canJoin && user && (
          <button
            type="button"
            class="button full"
            disabled={isRunning}
            aria-busy={isRunning}
            onClick={() => void run()}
          >
            {join}
          </button>
        )}
        {canJoin && user === null && (
          <a class="button full" href={`/sign-up?to=/c/${slug}`}>
            {join}
          </a>
        )}
      </div>
    </li>
  );
}
