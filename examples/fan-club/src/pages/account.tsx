import type { Me } from "@odis/client";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { dateOf } from "../format.ts";
import { AccountSettings } from "../parts/account-settings.tsx";
import { Art } from "../parts/art.tsx";
import { ManageButton } from "../parts/manage-button.tsx";
import { Empty, Failure, Skeleton } from "../parts/notice.tsx";
import { CancelButton, Receipts } from "../parts/own-membership.tsx";
import { Page } from "../parts/page.tsx";
import { useSession } from "../session.tsx";
import { useRequest } from "../use-request.ts";

export function Account() {
  const { odis, user, session } = useSession();
  const { route, query } = useLocation();
  const { data, error, reload } = useRequest(
    async (signal) => (user ? odis.get("/odis/v1/me", { signal }) : undefined),
    [odis, user?.email],
  );

  useEffect(() => {
    if (user === null) route("/sign-in?to=/me", true);
  }, [user]);
  // What was changed in the billing portal arrives within a moment of the return.
  useEffect(() => {
    if (query.from !== "portal") return undefined;
    const timers = [1000, 2500, 5000].map((delay) => setTimeout(reload, delay));
    return () => timers.forEach(clearTimeout);
  }, [query.from]);

  const signOut = async (): Promise<void> => {
    await session.signOut();
    route("/");
  };
  return (
    <Page title="My memberships" kind="narrow" lead={user && `${user.first_name} ${user.last_name}`.trim()}>
      {error !== undefined && <Failure title="Your memberships could not be loaded" error={error} onRetry={reload} />}
      {!data && error === undefined && <Skeleton label="Loading your memberships" count={2} kind="rows" />}
      {data?.memberships.length === 0 && (
        <Empty title="You have not joined a community yet">
          <p>Pick one that you like, and choose a tier.</p>
          <a class="button" href="/">
            Explore communities
          </a>
        </Empty>
      )}
      <ul class="memberships">
        {data?.memberships.map((membership) => (
          <Membership key={membership.member_id} membership={membership} onChange={reload} />
        ))}
      </ul>
      {user && (
        <section class="profile">
          <h2>Account</h2>
          <p>
            Signed in as <strong>{user.email}</strong>
          </p>
          <AccountSettings />
          <button type="button" class="button quiet" onClick={() => void signOut()}>
            Sign out
          </button>
        </section>
      )}
    </Page>
  );
}

type Props = { readonly membership: Me["memberships"][number]; readonly onChange: () => void };

function Membership({ membership, onChange }: Props) {
  const { community, tier, access, current_period_end, status, cancel_at_period_end } = membership;
  const [hasReceipts, setHasReceipts] = useState(false);
  const { label, kind } = standings[access.reason] ?? { label: status, kind: "" };
  const isEnding = cancel_at_period_end || access.reason === "canceling";
  return (
    <li class="membership">
      <Art seed={community.slug} class="stamp" />
      <div class="membership-text">
        <h2>
          <a href={`/c/${community.slug}`}>{community.name}</a>
        </h2>
        <p class="muted">
          {tier?.name ?? "No tier"}
          {access.granted &&
            current_period_end &&
            ` · ${isEnding ? "ends" : "renews"} on ${dateOf(current_period_end)}`}
        </p>
      </div>
      <span class={`chip ${kind}`}>{label}</span>
      <div class="actions">
        {access.granted && (
          <a class="button" href={`/c/${community.slug}/inside`}>
            Go inside
          </a>
        )}
        <ManageButton communityId={community.id} returnTo="/me?from=portal" />
        {access.granted && access.reason !== "owner" && <CancelButton membership={membership} onChange={onChange} />}
        <button
          type="button"
          class="button quiet"
          aria-expanded={hasReceipts}
          onClick={() => setHasReceipts(!hasReceipts)}
        >
          Receipts
        </button>
        {hasReceipts && <Receipts communityId={community.id} />}
      </div>
    </li>
  );
}

const standings: Readonly<Record<string, { readonly label: string; readonly kind: string }>> = {
  active: { label: "Active", kind: "good" },
  trialing: { label: "Trial", kind: "good" },
  owner: { label: "Owner", kind: "good" },
  canceling: { label: "Canceled", kind: "" },
  past_due: { label: "Payment failed", kind: "bad" },
  unpaid: { label: "Unpaid", kind: "bad" },
  incomplete: { label: "Not paid yet", kind: "bad" },
  blocked: { label: "Blocked", kind: "bad" },
  ended: { label: "Ended", kind: "" },
};
