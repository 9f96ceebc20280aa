import { useState } from "preact/hooks";
import type { Community } from "../data/odis.ts";
import { isMissing } from "../data/problem-text.ts";
import { useRights } from "../data/rights.ts";
import { useLoad } from "../data/use-load.ts";
import { type Versioned, versionOf } from "../data/use-records.ts";
import { dateOf } from "../format.ts";
import { Avatar } from "../parts/avatar.tsx";
import { Button } from "../parts/button.tsx";
import { Badge, Card, Facts, Page } from "../parts/page.tsx";
import { Loaded, Notice } from "../parts/states.tsx";
import { useGroup, useOdis, useSession } from "../session.tsx";
import { NotFoundPage } from "./not-found.tsx";
import { ArchiveCommunity, TransferCommunity, TrendingMark } from "./settings-admin.tsx";
import { EditCommunity } from "./settings-edit.tsx";

const dialogs = { edit: EditCommunity, transfer: TransferCommunity, trending: TrendingMark, archive: ArchiveCommunity };

export function SettingsPage({ communityId }: { readonly communityId: number }) {
  const odis = useOdis();
  const isAdmin = useGroup("admin");
  const may = useRights(communityId);
  const [dialog, setDialog] = useState<keyof typeof dialogs>();
  const { me, refresh } = useSession();
  const read = async (signal?: AbortSignal): Promise<Versioned<Community>> => {
    const params = { path: { id: communityId } };
    return versionOf(await odis.request("get", "/odis/v1/communities/{id}", { params, ...(signal && { signal }) }));
  };
  const load = useLoad(read, [communityId]);
  if (isMissing(load.error)) return <NotFoundPage />;
  const shared = {
    reread: async () => {
      const version = await read();
      load.setData(version);
      return version;
    },
    onClose: () => setDialog(undefined),
    onDone: () => {
      load.reload();
      // The list of the person's communities also contains the name.
      void refresh().catch(() => undefined);
    },
  };
  const Dialog = dialog && dialogs[dialog];
  return (
    <Page title="Settings">
      <Loaded what="the community" of={load}>
        {({ record: community, etag }) => (
          <>
            <Card title="Community" actions={<Button onClick={() => setDialog("edit")}>Edit</Button>}>
              <Facts
                of={[
                  ["Name", community.name],
                  ["Address", community.slug],
                  [
                    "Picture",
                    <span key="picture" class="picture">
                      <Avatar of={community} />
                      {community.avatar_url ?? "None. The initials are shown."}
                    </span>,
                  ],
                  ["Created", dateOf(community.created_at)],
                  [
                    "Status",
                    community.status === "active" ? (
                      <Badge tone="good">Active</Badge>
                    ) : (
                      <Badge tone="neutral">Archived</Badge>
                    ),
                  ],
                ]}
              />
            </Card>
            <Card
              title="Ownership and listing"
              actions={
                isAdmin && (
                  <>
                    <Button onClick={() => setDialog("transfer")}>Transfer</Button>
                    <Button onClick={() => setDialog("trending")}>Trending</Button>
                    <Button onClick={() => setDialog("archive")}>
                      {community.status === "active" ? "Archive" : "Activate"}
                    </Button>
                  </>
                )
              }
            >
              <Facts
                of={[
                  ["Owner", ownerText(community, me?.user?.id)],
                  ["Trending", trendingText(community)],
                ]}
              />
              {!isAdmin && <p class="muted">Only admins can transfer or archive a community.</p>}
            </Card>
            {!may("owner") && (
              <Notice title="Your role">
                <p>Only the owner invites people to the team, and adds API keys and event destinations.</p>
              </Notice>
            )}
            {Dialog && <Dialog {...shared} community={community} etag={etag} />}
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Only the id of another owner is known, such as to an admin. */
const ownerText = ({ owner_id }: Community, myId: number | undefined): string =>
  owner_id === null ? "Nobody" : owner_id === myId ? "You" : `User ${owner_id}`;

const trendingText = ({ trending, trending_pin }: Community): string =>
  `${trending ? "Yes" : "No"}, ${trending_pin === null ? "based on the number of new members" : "set by an admin"}`;
