import { useState } from "preact/hooks";
import type { Benefit } from "../data/odis.ts";
import { useRights } from "../data/rights.ts";
import { readBenefit, useBenefits, useMoves, useTiers } from "../data/use-records.ts";
import { Button } from "../parts/button.tsx";
import { Chips } from "../parts/chips.tsx";
import { Page } from "../parts/page.tsx";
import { RecordList } from "../parts/record-list.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { ArchiveBenefit, AssignBenefit, DeleteBenefit } from "./benefit-dialogs.tsx";
import { CreateBenefit, EditBenefit } from "./benefit-form.tsx";

const dialogs = { edit: EditBenefit, assign: AssignBenefit, archive: ArchiveBenefit, delete: DeleteBenefit };
type Open = { readonly dialog: keyof typeof dialogs; readonly benefit: Benefit } | { readonly dialog: "create" };

export function BenefitsPage({ communityId }: { readonly communityId: number }) {
  const [open, setOpen] = useState<Open>();
  const mayEdit = useRights(communityId)("catalog_write");
  const list = useBenefits(communityId);
  const tiers = useTiers(communityId);
  const moves = useMoves(list, {
    read: readBenefit,
    place: (client, id, position, etag) =>
      client.patch("/odis/v1/benefits/{id}", {
        params: { path: { id }, header: { "If-Match": etag } },
        body: { benefit: { position } },
      }),
  });
  // Reloads the list in any case, because a request whose response was lost may have taken effect.
  const onClose = (): void => {
    setOpen(undefined);
    list.reload();
  };
  const shared = { communityId, tiers, onClose };
  const actionsOf = (benefit: Benefit) => {
    const { name } = benefit;
    const opens = (dialog: keyof typeof dialogs) => () => setOpen({ dialog, benefit });
    return benefit.status === "active"
      ? [
          { text: "Edit", label: `Edit ${name}`, onClick: opens("edit") },
          { text: "Tiers", label: `Tiers of ${name}`, onClick: opens("assign") },
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
      title="Benefits"
      lead={<p>What members get, in the order they see it.</p>}
      actions={
        mayEdit && (
          <Button tone="primary" onClick={() => setOpen({ dialog: "create" })}>
            Create a benefit
          </Button>
        )
      }
    >
      <Loaded what="the benefits" of={list} lines={6}>
        {(all) =>
          all.length === 0 ? (
            <Empty icon="benefits" title="There are no benefits yet">
              <p>
                A benefit says what the members of a tier get, such as a bottle a month or a visit. It can belong to
                several tiers.
              </p>
            </Empty>
          ) : (
            <RecordList
              of={all}
              moves={mayEdit ? moves : undefined}
              text={(benefit) => <BenefitText benefit={benefit} />}
              actions={mayEdit ? actionsOf : () => []}
            />
          )
        }
      </Loaded>
      {open?.dialog === "create" && <CreateBenefit {...shared} />}
      {Dialog && open && "benefit" in open && <Dialog {...shared} benefit={open.benefit} />}
    </Page>
  );
}

function BenefitText({ benefit: { name, description, tiers } }: { readonly benefit: Benefit }) {
  return (
    <div class="record-text">
      <h3>{name}</h3>
      {description && <p>{description}</p>}
      {tiers.length === 0 ? (
        <p class="muted">No tier includes it, so no member sees it.</p>
      ) : (
        <Chips label={`Tiers of ${name}`} of={tiers} />
      )}
    </div>
  );
}
