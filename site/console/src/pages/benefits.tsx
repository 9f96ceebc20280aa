import { useState } from "preact/hooks";
import type { Benefit } from "../data/odis.ts";
import { movedPositions } from "../data/order.ts";
import { useLoad } from "../data/use-load.ts";
import { etagOf, readBenefit, useListAction } from "../data/use-records.ts";
import { Button } from "../parts/button.tsx";
import { Badge, Page } from "../parts/page.tsx";
import { Empty, Loaded, Notice } from "../parts/states.tsx";
import { useOdis } from "../session.tsx";
import { ArchiveBenefit, AssignBenefit, BenefitForm, DeleteBenefit } from "./benefit-dialogs.tsx";
import { Order } from "./tiers.tsx";

type Open =
  | { readonly dialog: "edit" | "assign" | "archive" | "delete"; readonly benefit: Benefit }
  | { readonly dialog: "create" };

export function BenefitsPage({ communityId }: { readonly communityId: number }) {
  const odis = useOdis();
  const [open, setOpen] = useState<Open>();
  const path = { community_id: communityId };
  const list = useLoad(
    async (signal) => {
      const all: Benefit[] = [];
      for (let page = 1; ; page++) {
        const query = { status: "all", per: 100, page } as const;
        const answer = await odis.get("/odis/v1/communities/{community_id}/benefits", {
          params: { path, query },
          signal,
        });
        all.push(...answer.data);
        if (!answer.has_more) return all;
      }
    },
    [communityId],
  );
  const tiers = useLoad(
    (signal) =>
      odis.get("/odis/v1/communities/{community_id}/tiers", {
        params: { path, query: { status: "all", per: 100 } },
        signal,
      }),
    [communityId],
  );
  const action = useListAction(list);
  const active = list.data?.filter(({ status }) => status === "active") ?? [];
  const archived = list.data?.filter(({ status }) => status === "archived") ?? [];
  const move = (benefit: Benefit, by: -1 | 1): Promise<void> =>
    action.run(String(benefit.id), `${benefit.name} was moved ${by < 0 ? "up" : "down"}.`, async (client) => {
      for (const [one, position] of movedPositions(active, benefit, by)) {
        const etag = await etagOf(readBenefit, client, one);
        await client.patch("/odis/v1/benefits/{id}", {
          params: { path: { id: one.id }, header: { "If-Match": etag } },
          body: { benefit: { position } },
        });
      }
    });
  const shared = {
    communityId,
    tiers: tiers.data?.data ?? [],
    onClose: () => setOpen(undefined),
    onDone: list.reload,
  };

  return (
    <Page
      title="Benefits"
      lead={<p>What members get, in the order in which they see it.</p>}
      actions={
        <Button tone="primary" onClick={() => setOpen({ dialog: "create" })}>
          Create a benefit
        </Button>
      }
    >
      {action.problem !== undefined && <Notice tone="warning" role="alert" title={action.problem} />}
      <Loaded what="the benefits" of={list} lines={6}>
        {(all) => (
          <>
            {all.length === 0 && (
              <Empty title="There are no benefits yet">
                <p>Say what members of each tier get.</p>
              </Empty>
            )}
            <h2 class="hidden">Active</h2>
            <ul class="records">
              {active.map((benefit, n) => (
                <li key={benefit.id} class="card record">
                  <Order
                    name={benefit.name}
                    isFirst={n === 0}
                    isLast={n === active.length - 1}
                    isRunning={action.running !== undefined}
                    onMove={(by) => void move(benefit, by)}
                  />
                  <BenefitText benefit={benefit} />
                  <div class="actions">
                    <Button label={`Edit ${benefit.name}`} onClick={() => setOpen({ dialog: "edit", benefit })}>
                      Edit
                    </Button>
                    <Button label={`Tiers of ${benefit.name}`} onClick={() => setOpen({ dialog: "assign", benefit })}>
                      Tiers
                    </Button>
                    <Button label={`Archive ${benefit.name}`} onClick={() => setOpen({ dialog: "archive", benefit })}>
                      Archive
                    </Button>
                  </div>
                </li>
              ))}
            </ul>
            {archived.length > 0 && (
              <section aria-labelledby="archived-benefits">
                <h2 id="archived-benefits" class="section-title">
                  Archived
                </h2>
                <ul class="records">
                  {archived.map((benefit) => (
                    <li key={benefit.id} class="card record">
                      <BenefitText benefit={benefit} />
                      <div class="actions">
                        <Button
                          label={`Activate ${benefit.name}`}
                          onClick={() => setOpen({ dialog: "archive", benefit })}
                        >
                          Activate
                        </Button>
                        <Button label={`Delete ${benefit.name}`} onClick={() => setOpen({ dialog: "delete", benefit })}>
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
      {open?.dialog === "create" && <BenefitForm {...shared} />}
      {open?.dialog === "edit" && <BenefitForm {...shared} benefit={open.benefit} />}
      {open?.dialog === "assign" && <AssignBenefit {...shared} benefit={open.benefit} />}
      {open?.dialog === "archive" && <ArchiveBenefit {...shared} benefit={open.benefit} />}
      {open?.dialog === "delete" && <DeleteBenefit {...shared} benefit={open.benefit} />}
    </Page>
  );
}

function BenefitText({ benefit: { name, description, tiers } }: { readonly benefit: Benefit }) {
  return (
    <div class="record-text">
      <h3>{name}</h3>
      {description && <p>{description}</p>}
      {tiers.length === 0 ? (
        <p class="muted">No tier has it, so nobody sees it.</p>
      ) : (
        <ul class="chips" aria-label={`Tiers with ${name}`}>
          {tiers.map((tier) => (
            <li key={tier.id}>
              <Badge tone="neutral">{tier.name}</Badge>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
