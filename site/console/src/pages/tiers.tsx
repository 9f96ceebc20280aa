import { useState } from "preact/hooks";
import type { Community, Stats, Tier } from "../data/odis.ts";
import { useRights } from "../data/rights.ts";
import { useLoad } from "../data/use-load.ts";
import { readTier, useMoves, useTiers } from "../data/use-records.ts";
import { countOf, pricesText } from "../format.ts";
import { Button } from "../parts/button.tsx";
import { Chips } from "../parts/chips.tsx";
import { copy } from "../parts/copy.ts";
import { Page } from "../parts/page.tsx";
import { RecordList } from "../parts/record-list.tsx";
import { Empty, Failure, Loaded } from "../parts/states.tsx";
import { linkTo } from "../router.ts";
import { useSession } from "../session.tsx";
import { ArchiveTier, DeleteTier, PriceDialog } from "./tier-dialogs.tsx";
import { CreateTier, EditTier } from "./tier-form.tsx";

const dialogs = { edit: EditTier, price: PriceDialog, archive: ArchiveTier, delete: DeleteTier };
type Open = { readonly dialog: keyof typeof dialogs; readonly tier: Tier } | { readonly dialog: "create" };

export function TiersPage({ communityId }: { readonly communityId: number }) {
  const { odis, deployment } = useSession();
  const [open, setOpen] = useState<Open>();
  const mayEdit = useRights(communityId)("catalog_write");
  const list = useTiers(communityId);
  const stats = useLoad(
    (signal) =>
      odis.get("/odis/v1/communities/{community_id}/stats", {
        params: { path: { community_id: communityId } },
        signal,
      }),
    [communityId],
  );
  const community = useLoad(
    (signal) => odis.get("/odis/v1/communities/{id}", { params: { path: { id: communityId } }, signal }),
    [communityId],
  );
  const moves = useMoves(list, {
    read: readTier,
    place: (client, id, position, etag) =>
      client.patch("/odis/v1/tiers/{id}", {
        params: { path: { id }, header: { "If-Match": etag } },
        body: { tier: { position } },
      }),
  });
  // Reloads the list in any case, because a request whose response was lost may have taken effect.
  const onClose = (): void => {
    setOpen(undefined);
    list.reload();
  };
  const shared = { communityId, stats: stats.data, onClose };
  const actionsOf = (tier: Tier) => {
    const { name } = tier;
    const opens = (dialog: keyof typeof dialogs) => () => setOpen({ dialog, tier });
    const link = deployment.joinUrl && community.data && joinLink(deployment.joinUrl, community.data, tier);
    return tier.status === "active"
      ? [
          { text: "Edit", label: `Edit ${name}`, onClick: opens("edit") },
          { text: "Change price", label: `Change price of ${name}`, onClick: opens("price") },
          ...(link
            ? [
                {
                  text: "Copy link",
                  label: `Copy link to join ${name}`,
                  onClick: () => void copy(link, `link to join ${name}`),
                },
              ]
            : []),
          { text: "Archive", label: `Archive ${name}`, onClick: opens("archive") },
        ]
      : [
          { text: "Activate", label: `Activate ${name}`, onClick: opens("archive") },
          { text: "Delete", label: `Delete ${name}`, onClick: opens("delete") },
        ];
  };
  const Dialog = open && open.dialog !== "create" ? dialogs[open.dialog] : undefined;

  return (
    <Page
      title="Tiers"
      lead={<p>What people can subscribe to, in the order they see it.</p>}
      actions={
        mayEdit && (
          <Button tone="primary" onClick={() => setOpen({ dialog: "create" })}>
            Create a tier
          </Button>
        )
      }
    >
      {stats.error !== undefined && !stats.isLoading && (
        <Failure what="the numbers of members" error={stats.error} onRetry={stats.reload} />
      )}
      <Loaded what="the tiers" of={list} lines={6}>
        {(all) =>
          all.length === 0 ? (
            <Empty icon="tiers" title="There are no tiers yet">
              <p>
                A tier is what people subscribe to: a name, a price for a month or a year, and benefits. They can join
                once there is one.
              </p>
            </Empty>
          ) : (
            <RecordList
              of={all}
              moves={mayEdit ? moves : undefined}
              text={(tier) => <TierText tier={tier} stats={stats.data} communityId={communityId} />}
              actions={mayEdit ? actionsOf : () => []}
            />
          )
        }
      </Loaded>
      {open?.dialog === "create" && <CreateTier {...shared} />}
      {Dialog && open && "tier" in open && <Dialog {...shared} tier={open.tier} />}
    </Page>
  );
}

const joinLink = (joinUrl: string, { slug }: Community, { id }: Tier): string =>
  joinUrl.replaceAll("{slug}", slug).replaceAll("{tier_id}", String(id));

type TextProps = { readonly tier: Tier; readonly stats: Stats | undefined; readonly communityId: number };

function TierText({ tier, stats, communityId }: TextProps) {
  const members = stats?.by_tier.find(({ id }) => id === tier.id)?.member_count;
  const details = [
    tier.trial_days > 0 && tier.monthly_price_dollars > 0 && `${tier.trial_days}-day free trial`,
    tier.requires_shipping_address && "asks for a shipping address",
    tier.badge !== null && `badge “${tier.badge}”`,
  ].filter(Boolean);
  return (
    <div class="record-text">
      <h3>{tier.name}</h3>
      <p class="price">{pricesText(tier)}</p>
      <p class="muted">
        {members !== undefined && (
          <a href={linkTo(["communities", communityId, "members"], { tier_id: String(tier.id), group: "access" })}>
            {countOf(members, "member")} with access
          </a>
        )}
        {members !== undefined && details.length > 0 && " · "}
        {details.join(" · ")}
      </p>
      {tier.benefits.length > 0 && <Chips label={`Benefits of ${tier.name}`} of={tier.benefits} />}
    </div>
  );
}
