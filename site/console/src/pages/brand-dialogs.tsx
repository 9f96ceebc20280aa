import { isMissing } from "../data/problem-text.ts";
import { countOf } from "../format.ts";
import { nameError } from "../parts/checks.ts";
import { FormDialog } from "../parts/form-dialog.tsx";
import { RecordDialog } from "../parts/record-dialog.tsx";
import { useOdis } from "../session.tsx";
import {
  type BrandProps,
  type BrandsProps,
  idsError,
  idsOf,
  nameField,
  useDelete,
  useFind,
  usePatch,
  useRead,
} from "./brand-fields.ts";

export function CreateBrand({ producerId, recent, onClose }: BrandsProps) {
  const odis = useOdis();
  const [other] = recent.filter((id) => id !== producerId);
  return (
    <FormDialog
      title="Create a brand"
      id={producerId}
      fields={[
        nameField,
        {
          name: "producer_ids",
          label: "Other producers",
          kind: "long",
          isOptional: true,
          hint: `Producer ids, one per line.${other === undefined ? "" : ` Most recent: ${other}`}`,
        },
      ]}
      opened={{ values: { name: "", producer_ids: "" } }}
      submit="Create the brand"
      explain={({ producer_ids }) => (
        <p>
          The brand belongs to this producer{otherText(idsOf(producer_ids).filter((id) => id !== producerId).length)}.
        </p>
      )}
      check={({ name, producer_ids }) => ({ name: nameError(name), producer_ids: idsError(idsOf(producer_ids)) })}
      done="The brand was created."
      send={async (_, header, { name, producer_ids }) => {
        return odis.request("post", "/odis/v1/producers/{producer_id}/brands", {
          params: { path: { producer_id: producerId }, header },
          body: { brand: { name: String(name).trim(), producer_ids: idsOf(producer_ids) } },
        });
      }}
      onClose={onClose}
    />
  );
}

const otherText = (count: number): string => (count === 0 ? "" : ` and to ${countOf(count, "other")}`);

export function RenameBrand(props: BrandProps) {
  const patch = usePatch(props);
  return (
    <RecordDialog
      title={`Rename ${props.brand.name}`}
      id={props.brand.id}
      read={useRead(props, ({ name, producer_ids }) => ({ name, producer_ids }))}
      fields={[nameField]}
      submit="Rename the brand"
      explain={(values) => {
        const { length } = idsOf(values.producer_ids);
        return length > 1 && <p>The name changes for all {countOf(length, "producer")} of the brand.</p>;
      }}
      check={({ name }) => ({ name: nameError(name) })}
      done="The brand was renamed."
      send={(_, headers, { name }) => patch({ name: String(name).trim() }, headers)}
      onClose={props.onClose}
    />
  );
}

export function LinkBrand(props: BrandProps) {
  const { brand, producerId, onClose } = props;
  const patch = usePatch(props);
  const find = useFind(props);
  return (
    <RecordDialog
      title={`Producers of ${brand.name}`}
      id={brand.id}
      read={useRead(props, ({ producer_ids }) => ({ producer_ids: producer_ids.join("\n") }))}
      fields={[{ name: "producer_ids", label: "Producer ids", kind: "long", hint: "One per line, at least one." }]}
      submit="Save the producers"
      explain={(values, base) => <p>{linkText(idsOf(values.producer_ids), idsOf(base.producer_ids), producerId)}</p>}
      check={({ producer_ids }) => {
        const ids = idsOf(producer_ids);
        return { producer_ids: ids.length === 0 ? "A brand has at least one producer." : idsError(ids) };
      }}
      done="The producers were saved."
      send={async (_, headers, values) => {
        const ids = idsOf(values.producer_ids);
        await patch({ producer_ids: ids }, headers).catch(async (error: unknown) => {
          if (ids.includes(producerId) || !isMissing(error)) throw error;
          // An earlier attempt whose response was lost may have saved the producers.
          const saved = (await find(ids))?.producer_ids;
          if (!ids.every((id) => saved?.includes(id))) throw error;
        });
      }}
      onClose={onClose}
    />
  );
}

function linkText(ids: readonly string[], before: readonly string[], producerId: string): string {
  if (!ids.includes(producerId)) return "The brand is removed from the current producer and disappears from this list.";
  const added = ids.filter((id) => !before.includes(id)).length;
  const removed = before.filter((id) => !ids.includes(id)).length;
  const changes = [
    added > 0 && `added to ${countOf(added, "producer")}`,
    removed > 0 && `removed from ${countOf(removed, "producer")}`,
  ];
  const text = changes.filter(Boolean).join(" and ");
  return text === "" ? "No changes yet." : `The brand is ${text}.`;
}

export function DeleteBrand(props: BrandProps) {
  const remove = useDelete(props);
  const { name } = props.brand;
  return (
    <RecordDialog
      title={`Delete ${name}`}
      id={props.brand.id}
      read={useRead(props, ({ producer_ids }) => ({ producer_ids }))}
      submit="Delete the brand"
      tone="danger"
      explain={(values) => {
        const { length } = idsOf(values.producer_ids);
        return (
          <p>
            This cannot be undone.
            {length > 1 &&
              ` It disappears from all ${countOf(length, "producer")}. To remove it from only one of them, edit its producers.`}
          </p>
        );
      }}
      done={`${name} was deleted.`}
      send={(_, headers, { producer_ids }) => remove(headers, idsOf(producer_ids))}
      onClose={props.onClose}
    />
  );
}
