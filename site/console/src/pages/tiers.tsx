import { useState } from "preact/hooks";
import type { Stats, Tier } from "../data/odis.ts";
import { movedPositions } from "../data/order.ts";
import { useLoad } from "../data/use-load.ts";
import { etagOf, readTier, useListAction } from "../data/use-records.ts";
import { countOf, priceOf } from "../format.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { Badge, Page } from "../parts/page.tsx";
import { Empty, Loaded, Notice } from "../parts/states.tsx";
import { linkTo } from "../router.ts";
import { useOdis } from "../session.tsx";
import { ArchiveTier, CreateTier, DeleteTier, EditTier, PriceDialog } from "./tier-dialogs.tsx";

type Props = { readonly communityId: number };
type Open =
  | { readonly dialog: "edit" | "price" | "archive" | "delete"; readonly tier: Tier }
  | { readonly dialog: "create" };

export function TiersPage({ communityId }: Props) {
  const odis = useOdis();
  const [open, setOpen] = useState<Open>();
  const path = { community_id: communityId };
  const list = useLoad(
    (signal) =>
      odis.get("/odis/v1/communities/{community_id}/tiers", {
        params: { path, query: { status: "all", per: 100 } },
        signal,
      }),
    [communityId],
  );
  const stats = useLoad(
    (signal) => odis.get("/odis/v1/communities/{community_id}/stats", { params: { path }, signal }),
    [communityId],
  );
  const action = useListAction(list);
  const all = list.data?.data ?? [];
  const active = all.filter(({ status }) => status === "active");
  const archived = all.filter(({ status }) => status === "archived");
  const move = (tier: Tier, by: -1 | 1): Promise<void> =>
    action.run(`${tier.id} ${by}`, `${tier.name} was moved ${by < 0 ? "up" : "down"}.`, async (client) => {
      for (const [one, position] of movedPositions(active, tier, by)) {
        const etag = await etagOf(readTier, client, one);
        await client.patch("/odis/v1/tiers/{id}", {
          params: { path: { id: one.id }, header: { "If-Match": etag } },
          body: { tier: { position } },
        });
      }
    });
  const close = (): void => setOpen(undefined);
  const shared = { communityId, stats: stats.data, onClose: close, onDone: list.reload };

  return (
    <Page
      title="Tiers"
      lead={<p>What people can subscribe to, in the order in which they see it.</p>}
      actions={
        <Button tone="primary" onClick={() => setOpen({ dialog: "create" })}>
          Create a tier
        </Button>
      }
    >
      {action.problem !== undefined && <Notice tone="warning" role="alert" title={action.problem} />}
      <Loaded what="the tiers" of={list} lines={6}>
        {() => (
          <>
            {all.length === 0 && (
              <Empty title="There are no tiers yet">
                <p>People can join once there is one.</p>
              </Empty>
            )}
            <h2 class="hidden">Active</h2>
            <ul class="records">
              {active.map((tier, n) => (
                <li key={tier.id} class="card record">
                  <Order
                    name={tier.name}
                    isFirst={n === 0}
                    isLast={n === active.length - 1}
                    isRunning={action.running !== undefined}
                    onMove={(by) => void move(tier, by)}
                  />
                  <TierText tier={tier} stats={stats.data} communityId={communityId} />
                  <div class="actions">
                    <Button label={`Edit ${tier.name}`} onClick={() => setOpen({ dialog: "edit", tier })}>
                      Edit
                    </Button>
                    <Button
                      label={`Change the price of ${tier.name}`}
                      onClick={() => setOpen({ dialog: "price", tier })}
                    >
                      Change the price
                    </Button>
                    <Button label={`Archive ${tier.name}`} onClick={() => setOpen({ dialog: "archive", tier })}>
                      Archive
                    </Button>
                  </div>
                </li>
              ))}
            </ul>
            {archived.length > 0 && (
              <section aria-labelledby="archived-tiers">
                <h2 id="archived-tiers" class="section-title">
                  Archived
                </h2>
                <ul class="records">
                  {archived.map((tier) => (
                    <li key={tier.id} class="card record">
                      <TierText tier={tier} stats={stats.data} communityId={communityId} />
                      <div class="actions">
                        <Button label={`Offer ${tier.name} again`} onClick={() => setOpen({ dialog: "archive", tier })}>
                          Offer again
                        </Button>
                        <Button label={`Delete ${tier.name}`} onClick={() => setOpen({ dialog: "delete", tier })}>
                          Delete
                        </Button>
                      </div>
                    </li>
                  ))}
                </ul>
              </section>
            )}
          </>
        )}
      </Loaded>
      {open?.dialog === "create" && <CreateTier {...shared} />}
      {open?.dialog === "edit" && <EditTier {...shared} tier={open.tier} />}
      {open?.dialog === "price" && <PriceDialog {...shared} tier={open.tier} />}
      {open?.dialog === "archive" && <ArchiveTier {...shared} tier={open.tier} />}
      {open?.dialog === "delete" && <DeleteTier {...shared} tier={open.tier} />}
    </Page>
  );
}

type TextProps = { readonly tier: Tier; readonly stats: Stats | undefined; readonly communityId: number };

function TierText({ tier, stats, communityId }: TextProps) {
  const members = stats?.by_tier.find(({ id }) => id === tier.id)?.member_count ?? 0;
  const details = [
    tier.trial_days > 0 && `${countOf(tier.trial_days, "day")} free`,
    tier.requires_shipping_address && "asks for a shipping address",
    tier.badge !== null && `badge “${tier.badge}”`,
  ].filter(Boolean);
  return (
    <div class="record-text">
      <h3>{tier.name}</h3>
      <p class="price">{priceOf(tier.monthly_price_dollars)}</p>
      <p class="muted">
        <a href={linkTo(["communities", communityId, "members"], { tier_id: String(tier.id) })}>
          {countOf(members, "member")} with access
        </a>
        {details.length > 0 && ` · ${details.join(" · ")}`}
      </p>
      {tier.benefits.length > 0 && (
        <ul class="chips" aria-label={`Benefits of ${tier.name}`}>
          {tier.benefits.map(({ id, name }) => (
            <li key={id}>
              <Badge tone="neutral">{name}</Badge>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

type OrderProps = {
  readonly name: string;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly isRunning: boolean;
  readonly onMove: (by: -1 | 1) => void;
};

/** Moves a record up or down in its list. */
export function Order({ name, isFirst, isLast, isRunning, onMove }: OrderProps) {
  const button = (by: -1 | 1, isEnd: boolean) => (
    <button
      type="button"
      class="button quiet icon-only"
      aria-label={`Move ${name} ${by < 0 ? "up" : "down"}`}
      aria-disabled={isEnd || isRunning ? "true" : undefined}
      onClick={() => {
        if (!isEnd && !isRunning) onMove(by);
      }}
    >
      <Icon name={by < 0 ? "up" : "down"} />
    </button>
  );
  return (
    <div class="order">
      {button(-1, isFirst)}
      {button(1, isLast)}
    </div>
  );
}
