import type { Benefit, Tier } from "../data/odis.ts";
import { openedBy, readBenefit } from "../data/use-records.ts";
import { ifMatch } from "../data/use-write.ts";
import { nameError } from "../parts/checks.ts";
import type { Field } from "../parts/field.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { LoadDialog, RecordDialog } from "../parts/record-dialog.tsx";
import type { Load } from "../parts/states.tsx";
import type { Values } from "../parts/values.ts";
import { useOdis } from "../session.tsx";

export type BenefitsProps = {
  readonly communityId: number;
  readonly tiers: Load<readonly Tier[]>;
  readonly onClose: () => void;
};
export type BenefitProps = BenefitsProps & { readonly benefit: Benefit };

const textFields: readonly Field[] = [
  { name: "name", label: "Name" },
  { name: "description", label: "Description", kind: "long", isOptional: true },
];

export const tiersField = (tiers: readonly Tier[]): Field => ({
  name: "tier_ids",
  label: "Tiers",
  kind: "checkboxes",
  choices: tiers.map(({ id, name, status }) => ({
    value: String(id),
    label: name,
    hint: status === "archived" ? "Archived" : undefined,
  })),
});

/** The ids of the chosen tiers. */
export const tierIdsOf = ({ tier_ids }: Values): number[] =>
  Array.isArray(tier_ids) ? (tier_ids as string[]).map(Number).toSorted((a, b) => a - b) : [];

/** Reads a benefit for a form. */
export function useRead({ benefit: { id } }: BenefitProps, toValues?: (benefit: Benefit) => Values) {
  const odis = useOdis();
  return openedBy(() => readBenefit(odis, id), toValues);
}

export function CreateBenefit({ communityId, tiers, onClose }: BenefitsProps) {
  const odis = useOdis();
  const title = "Create a benefit";
  if (!tiers.data) return <LoadDialog title={title} what="the tiers" of={tiers} onClose={onClose} />;
  return (
    <FormDialog
      title={title}
      fields={[...textFields, tiersField(tiers.data.filter(({ status }) => status === "active"))]}
      opened={{ values: { name: "", description: "", tier_ids: [] } }}
      submit="Create the benefit"
      explain={() => <p>Members of the selected tiers see it immediately.</p>}
      check={({ name }) => ({ name: nameError(name) })}
      done="The benefit was created."
      send={async (_, header, values) => {
        const { name, description } = values;
        const benefit = { name: String(name).trim(), description: String(description), tier_ids: tierIdsOf(values) };
        return odis.request("post", "/odis/v1/communities/{community_id}/benefits", {
          params: { path: { community_id: communityId }, header },
          body: { benefit },
        });
      }}
      onClose={onClose}
    />
  );
}

export function EditBenefit(props: BenefitProps) {
  const odis = useOdis();
  const { id, name: oldName } = props.benefit;
  return (
    <RecordDialog
      title={`Edit ${oldName}`}
      id={id}
      read={useRead(props, ({ name, description }) => ({ name, description }))}
      fields={textFields}
      submit="Save"
      check={({ name }) => ({ name: nameError(name) })}
      done="The benefit was saved."
      send={async (changed, headers) => {
        const params = { path: { id }, header: ifMatch(headers) };
        await odis.patch("/odis/v1/benefits/{id}", { params, body: { benefit: changed } });
      }}
      onClose={props.onClose}
    />
  );
}
