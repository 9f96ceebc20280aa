import type { Tier } from "../data/odis.ts";
import { ignoreMissing } from "../data/problem-text.ts";
import { ifMatch } from "../data/use-write.ts";
import { LoadDialog, RecordDialog } from "../parts/record-dialog.tsx";
import { useOdis } from "../session.tsx";
import { type BenefitProps, tierIdsOf, tiersField, useRead } from "./benefit-form.tsx";

export function AssignBenefit(props: BenefitProps) {
  const odis = useOdis();
  const { benefit, onClose } = props;
  const title = `Tiers of ${benefit.name}`;
  const { data: tiers } = props.tiers;
  if (!tiers) return <LoadDialog title={title} what="the tiers" of={props.tiers} onClose={onClose} />;
  const shown = tiers.filter(({ id, status }) => status === "active" || benefit.tier_ids.includes(id));
  return (
    <RecordDialog
      title={title}
      id={benefit.id}
      read={useRead(props, ({ tier_ids }) => ({ tier_ids: tier_ids.map(String) }))}
      fields={[tiersField(shown)]}
      submit="Save"
      explain={(values, base) => <p>{effectOf(tierIdsOf(values), tierIdsOf(base), tiers)}</p>}
      done="The tiers were saved."
      send={async (_, header, values) => {
        return odis.request("post", "/odis/v1/benefits/{id}/assign_to_tiers", {
          params: { path: { id: benefit.id }, header },
          body: { tier_ids: tierIdsOf(values) },
        });
      }}
      onClose={onClose}
    />
  );
}

function effectOf(ids: readonly number[], before: readonly number[], tiers: readonly Tier[]): string {
  const namesOf = (some: readonly number[]) => {
    const names = tiers.filter(({ id }) => some.includes(id)).map(({ name }) => name);
    return new Intl.ListFormat("en").format(names);
  };
  const gained = ids.filter((id) => !before.includes(id));
  const lost = before.filter((id) => !ids.includes(id));
  const sentences = [
    gained.length > 0 && `Members of ${namesOf(gained)} get this benefit immediately.`,
    lost.length > 0 && `Members of ${namesOf(lost)} lose this benefit immediately.`,
  ].filter(Boolean);
  return sentences.join(" ") || "No changes yet.";
}

export function ArchiveBenefit(props: BenefitProps) {
  const odis = useOdis();
  const { id, name, status } = props.benefit;
  const isActive = status === "active";
  return (
    <RecordDialog
      title={`${isActive ? "Archive" : "Activate"} ${name}`}
      id={id}
      read={useRead(props)}
      submit={isActive ? "Archive the benefit" : "Activate the benefit"}
      explain={() => (
        <p>
          {isActive
            ? "Members no longer see it. It keeps its tiers, and you can activate it again."
            : "Members of its tiers see it again."}
        </p>
      )}
      done={`${name} was ${isActive ? "archived" : "activated"}.`}
      send={async (_, header) => {
        const params = { path: { id }, header };
        if (isActive) await odis.post("/odis/v1/benefits/{id}/archive", { params });
        else await odis.post("/odis/v1/benefits/{id}/activate", { params });
      }}
      onClose={props.onClose}
    />
  );
}

export function DeleteBenefit(props: BenefitProps) {
  const odis = useOdis();
  const { id, name } = props.benefit;
  return (
    <RecordDialog
      title={`Delete ${name}`}
      id={id}
      read={useRead(props)}
      submit="Delete the benefit"
      tone="danger"
      explain={() => <p>This cannot be undone. Its activity entries are kept.</p>}
      done={`${name} was deleted.`}
      send={(_, headers) =>
        odis
          .delete("/odis/v1/benefits/{id}", { params: { path: { id }, header: ifMatch(headers) } })
          .catch(ignoreMissing)
      }
      onClose={props.onClose}
    />
  );
}
