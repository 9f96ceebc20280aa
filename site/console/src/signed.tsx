import { useEffect } from "preact/hooks";
import { forgetList } from "./data/kept-list.ts";
import type { Me } from "./data/odis.ts";
import { isStrangerIn, useRights } from "./data/rights.ts";
import { areaOf, Frame } from "./frame.tsx";
import { AccountPage } from "./pages/account.tsx";
import { ActivityPage } from "./pages/activity.tsx";
import { ApiKeysPage } from "./pages/api-keys.tsx";
import { BenefitsPage } from "./pages/benefits.tsx";
import { BrandsPage } from "./pages/brands.tsx";
import { CommunitiesPage } from "./pages/communities.tsx";
import { DestinationPage } from "./pages/destination.tsx";
import { DestinationsPage } from "./pages/destinations.tsx";
import { ImportMembersPage } from "./pages/import-members.tsx";
import { MemberPage } from "./pages/member.tsx";
import { MembersPage } from "./pages/members.tsx";
import { MovementsPage } from "./pages/movements.tsx";
import { NoRightPage, NotFoundPage, NotYoursPage } from "./pages/not-found.tsx";
import { OverviewPage } from "./pages/overview.tsx";
import { PaymentsPage } from "./pages/payments.tsx";
import { SettingsPage } from "./pages/settings.tsx";
import { TeamPage } from "./pages/team.tsx";
import { TiersPage } from "./pages/tiers.tsx";
import { usePlace } from "./router.ts";

/** The console of a person who is signed in. */
export function Signed({ me }: { readonly me: Me }) {
  const { path, query } = usePlace();
  useEffect(() => forgetList, []);
  const [area = "", id = ""] = path;
  const communityId = area === "communities" && /^\d{1,16}$/.test(id) ? Number(id) : undefined;
  if (communityId !== undefined && isStrangerIn(me, communityId))
    return (
      <Frame me={me} path={path} communityId={undefined}>
        <NotYoursPage key={communityId} />
      </Frame>
    );
  return (
    <Frame me={me} path={path} communityId={communityId}>
      <Content key={path.join("/")} me={me} path={path} query={query} communityId={communityId} />
    </Frame>
  );
}

type Props = {
  readonly me: Me;
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly communityId: number | undefined;
};

function Content({ me, path: [area, , part, record], query, communityId }: Props) {
  const may = useRights(communityId);
  if (area === undefined) return <CommunitiesPage me={me} isStart />;
  if (area === "account") return <AccountPage me={me} />;
  if (area === "brands") return <BrandsPage query={query} />;
  if (area !== "communities") return <NotFoundPage />;
  if (communityId === undefined) return <CommunitiesPage me={me} />;
  const shared = { communityId, query };
  const needed = areaOf(part);
  if (needed && !may(needed.right)) return <NoRightPage title={needed.text} />;
  if (part === "members" && record === "import") return <ImportMembersPage communityId={communityId} />;
  if (part === "members" && record !== undefined)
    return /^\d{1,16}$/.test(record) ? <MemberPage communityId={communityId} id={Number(record)} /> : <NotFoundPage />;
  if (part === "members") return <MembersPage {...shared} />;
  if (part === "movements") return <MovementsPage {...shared} />;
  if (part === "payments") return <PaymentsPage {...shared} />;
  if (part === "tiers") return <TiersPage {...shared} />;
  if (part === "benefits") return <BenefitsPage {...shared} />;
  if (part === "activity") return <ActivityPage {...shared} />;
  if (part === "team") return <TeamPage {...shared} />;
  if (part === "event-destinations" && record !== undefined)
    return /^\d{1,16}$/.test(record) ? (
      <DestinationPage communityId={communityId} id={Number(record)} />
    ) : (
      <NotFoundPage />
    );
  if (part === "event-destinations") return <DestinationsPage {...shared} />;
  if (part === "api-keys") return <ApiKeysPage {...shared} />;
  if (part === "settings") return <SettingsPage {...shared} />;
  return part === undefined ? <OverviewPage {...shared} /> : <NotFoundPage />;
}
