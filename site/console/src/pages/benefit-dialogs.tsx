import type { Benefit, Tier } from "../data/odis.ts";
import { readBenefit } from "../data/use-records.ts";
import type { Field } from "../parts/field.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { OpenedDialog } from "../parts/opened-dialog.tsx";
import type { Opened, Values } from "../parts/values.ts";
import { useOdis } from "../session.tsx";

type Shared = {
  readonly communityId: number;
  readonly tiers: readonly Tier[];
  readonly onClose: () => void;
  readonly onDone: () => void;
};
type Props = Shared & { readonly benefit: Benefit };

const textFields: readonly Field[] = [
  { name: "name", label: "Name", maxLength: 120 },
  { name: "description", label: "Description", kind: "long", isOptional: true, maxLength: 2000 },
];
const tiersField = (tiers: readonly Tier[]): Field => ({
  name: "tier_ids",
  label: "Tiers that have it",
  kind: "checkboxes",
  choices: tiers.map(({ id, name, status }) => ({
    value: String(id),
    label: name,
    hint: status === "archived" ? "Archived" : undefined,
  })),
});
const idsOf = (values: Values): number[] =>
  Array.isArray(values.tier_ids) ? (values.tier_ids as string[]).map(Number).toSorted((a, b) => a - b) : [];
const tierValue = ({ tier_ids }: Benefit): readonly string[] => tier_ids.map(String);

/** Reads a benefit for a form. */
function useOpened({ id }: Benefit, toValues: (benefit: Benefit) => Values) {
  const odis = useOdis();
  return async (): Promise<Opened> => {
    const { record, etag } = await readBenefit(odis, id);
    return { values: toValues(record), etag };
  };
}

const checkName = ({ name }: Values) => ({ name: String(name).trim() === "" ? "Enter a name." : undefined });

/** Creates a benefit, or edits the one that is given. */
export function BenefitForm({ benefit, ...shared }: Shared & { readonly benefit?: Benefit }) {
  return benefit ? <Edit {...shared} benefit={benefit} /> : <Create {...shared} />;
}

function Create({ communityId, tiers, onClose, onDone }: Shared) {
  const odis = useOdis();
  return (
    <FormDialog
      title="Create a benefit"
      fields={[...textFields, tiersField(tiers.filter(({ status }) => status === "active"))]}
      opened={{ values: { name: "", description: "", tier_ids: [] } }}
      submit="Create the benefit"
      explain={() => <p>Members of the chosen tiers see it at once.</p>}
      check={checkName}
      done="The benefit was created."
      send={async (_, header, values) => {
        const { name, description } = values;
        const benefit = { name: String(name).trim(), description: String(description), tier_ids: idsOf(values) };
        await odis.post("/odis/v1/communities/{community_id}/benefits", {
          params: { path: { community_id: communityId }, header },
          body: { benefit },
        });
        onDone();
      }}
      onClose={onClose}
    />
  );
}

function Edit({ benefit, onClose, onDone }: Props) {
  const odis = useOdis();
  const read = useOpened(benefit, ({ name, description }) => ({ name, description }));
  const title = `Edit ${benefit.name}`;
  return (
    <OpenedDialog title={title} read={read} onClose={onClose}>
      {(opened) => (
        <FormDialog
          title={title}
          fields={textFields}
          opened={opened}
          submit="Save"
          check={checkName}
          done="The benefit was saved."
          send={async (changed, { "If-Match": etag }) => {
            const header = etag === undefined ? {} : { "If-Match": etag };
            await odis.patch("/odis/v1/benefits/{id}", {
              params: { path: { id: benefit.id }, header },
              body: { benefit: changed },
            });
            onDone();
          }}
          reread={read}
          onClose={onClose}
        />
      )}
    </OpenedDialog>
  );
}

export function AssignBenefit({ benefit, tiers, onClose, onDone }: Props) {
  const odis = useOdis();
  const read = useOpened(benefit, (record) => ({ tier_ids: tierValue(record) }));
  const title = `Tiers with ${benefit.name}`;
  const shown = tiers.filter(({ id, status }) => status === "active" || benefit.tier_ids.includes(id));
  return (
    <OpenedDialog title={title} read={read} onClose={onClose}>
      {(opened) => (
        <FormDialog
          title={title}
          fields={[tiersField(shown)]}
          opened={opened}
          submit="Save"
          explain={(values) => <p>{effectOf(idsOf(values), benefit, tiers)}</p>}
          done="The tiers were saved."
          send={async (_, header, values) => {
            await odis.post("/odis/v1/benefits/{id}/assign_to_tiers", {
              params: { path: { id: benefit.id }, header },
              body: { tier_ids: idsOf(values) },
            });
            onDone();
          }}
          reread={read}
          onClose={onClose}
        />
      )}
    </OpenedDialog>
  );
}

function effectOf(ids: readonly number[], { tier_ids }: Benefit, tiers: readonly Tier[]): string {
  const namesOf = (some: readonly number[]) => {
    const names = tiers.filter(({ id }) => some.includes(id)).map(({ name }) => name);
    return new Intl.ListFormat("en").format(names);
  };
  const gained = ids.filter((id) => !tier_ids.includes(id));
  const lost = tier_ids.filter((id) => !ids.includes(id));
  const sentences = [
    gained.length > 0 && `Members of ${namesOf(gained)} get it at once.`,
    lost.length > 0 && `Members of ${namesOf(lost)} lose it at once.`,
  ].filter(Boolean);
  return sentences.join(" ") || "Nothing changes yet.";
}

export function ArchiveBenefit({ benefit, onClose, onDone }: Props) {
  const odis = useOdis();
  const read = useOpened(benefit, () => ({}));
  const isActive = benefit.status === "active";
  const title = `${isActive ? "Archive" : "Activate"} ${benefit.name}`;
  return (
    <OpenedDialog title={title} read={read} onClose={onClose}>
      {(opened) => (
        <FormDialog
          title={title}
          fields={[]}
          opened={opened}
          submit={isActive ? "Archive the benefit" : "Activate the benefit"}
          explain={() => (
            <p>
              {isActive
                ? "Members no longer see it. It keeps its tiers, and you can activate it again."
                : "Members of its tiers see it again."}
            </p>
          )}
          done={`${benefit.name} was ${isActive ? "archived" : "activated"}.`}
          send={async (_, header) => {
            const params = { path: { id: benefit.id }, header };
            if (isActive) await odis.post("/odis/v1/benefits/{id}/archive", { params });
            else await odis.post("/odis/v1/benefits/{id}/activate", { params });
            onDone();
          }}
          reread={read}
          onClose={onClose}
        />
      )}
    </OpenedDialog>
  );
}

export function DeleteBenefit({ benefit, onClose, onDone }: Props) {
  const odis = useOdis();
  const read = useOpened(benefit, () => ({}));
  const title = `Delete ${benefit.name}`;
  return (
    <OpenedDialog title={title} read={read} onClose={onClose}>
      {(opened) => (
        <FormDialog
          title={title}
          fields={[]}
          opened={opened}
          submit="Delete the benefit"
          tone="danger"
          explain={() => <p>This cannot be undone. Its activity stays.</p>}
          done={`${benefit.name} was deleted.`}
          send={async (_, { "If-Match": etag }) => {
            const header = etag === undefined ? {} : { "If-Match": etag };
            await odis.delete("/odis/v1/benefits/{id}", { params: { path: { id: benefit.id }, header } });
            onDone();
          }}
          reread={read}
          onClose={onClose}
        />
      )}
    </OpenedDialog>
  );
}
