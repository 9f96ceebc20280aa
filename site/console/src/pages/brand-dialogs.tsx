import type { Brand, BrandUpdate } from "../data/odis.ts";
import { countOf } from "../format.ts";
import type { Field } from "../parts/field.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { OpenedDialog } from "../parts/opened-dialog.tsx";
import type { Opened, Values } from "../parts/values.ts";
import { useOdis } from "../session.tsx";
import { isProducerId } from "./brands.tsx";

type Shared = {
  readonly producerId: string;
  readonly recent: readonly string[];
  readonly onClose: () => void;
  readonly onDone: () => void;
};
type Props = Shared & { readonly brand: Brand };

const nameField: Field = { name: "name", label: "Name", maxLength: 120 };
const checkName = ({ name }: Values) => ({ name: String(name).trim() === "" ? "Enter a name." : undefined });

/** One id a line. */
const idsOf = (value: unknown): string[] => [
  ...new Set(
    String(value)
      .split(/[\s,]+/)
      .map((id) => id.toLowerCase())
      .filter((id) => id !== ""),
  ),
];
const idsError = (ids: readonly string[]): string | undefined => {
  const wrong = ids.find((id) => !isProducerId(id));
  return wrong === undefined ? undefined : `“${wrong}” is not the id of a producer.`;
};

/** Reads a brand for a form. */
function useOpened({ producerId, brand }: Props, toValues: (brand: Brand) => Values) {
  const odis = useOdis();
  return async (): Promise<Opened> => {
    const path = { producer_id: producerId, id: brand.id };
    const { data, headers } = await odis.request("get", "/odis/v1/producers/{producer_id}/brands/{id}", {
      params: { path },
    });
    return { values: toValues(data), etag: headers.get("etag") ?? "" };
  };
}

/** Changes a brand. */
function usePatch({ producerId, brand: { id }, onDone }: Props) {
  const odis = useOdis();
  return async (brand: BrandUpdate["brand"], etag: string | undefined): Promise<void> => {
    await odis.patch("/odis/v1/producers/{producer_id}/brands/{id}", {
      params: { path: { producer_id: producerId, id }, header: etag === undefined ? {} : { "If-Match": etag } },
      body: { brand },
    });
    onDone();
  };
}

export function CreateBrand({ producerId, recent, onClose, onDone }: Shared) {
  const odis = useOdis();
  const others = recent.filter((id) => id !== producerId);
  return (
    <FormDialog
      title="Create a brand"
      fields={[
        nameField,
        {
          name: "producer_ids",
          label: "Other producers of the brand",
          kind: "long",
          isOptional: true,
          hint: `Ids of producers, one a line.${others.length > 0 ? ` The last one that you looked at: ${others[0]}` : ""}`,
        },
      ]}
      opened={{ values: { name: "", producer_ids: "" } }}
      submit="Create the brand"
      explain={({ producer_ids }) => (
        <p>It belongs to this producer{otherText(idsOf(producer_ids).filter((id) => id !== producerId).length)}.</p>
      )}
      check={({ name, producer_ids }) => ({
        ...checkName({ name: name ?? "" }),
        producer_ids: idsError(idsOf(producer_ids)),
      })}
      done="The brand was created."
      send={async (_, header, { name, producer_ids }) => {
        await odis.post("/odis/v1/producers/{producer_id}/brands", {
          params: { path: { producer_id: producerId }, header },
          body: { brand: { name: String(name).trim(), producer_ids: idsOf(producer_ids) } },
        });
        onDone();
      }}
      onClose={onClose}
    />
  );
}

const otherText = (count: number): string => (count === 0 ? "" : ` and to ${countOf(count, "other")}`);

export function RenameBrand(props: Props) {
  const read = useOpened(props, ({ name }) => ({ name }));
  const patch = usePatch(props);
  const title = `Rename ${props.brand.name}`;
  const { length } = props.brand.producer_ids;
  return (
    <OpenedDialog title={title} read={read} onClose={props.onClose}>
      {(opened) => (
        <FormDialog
          title={title}
          fields={[nameField]}
          opened={opened}
          submit="Rename the brand"
          explain={() => length > 1 && <p>The name changes for all {countOf(length, "producer")} of the brand.</p>}
          check={checkName}
          done="The brand was renamed."
          send={async (_, headers, { name }) => patch({ name: String(name).trim() }, headers["If-Match"])}
          reread={read}
          onClose={props.onClose}
        />
      )}
    </OpenedDialog>
  );
}

export function LinkBrand(props: Props) {
  const { brand, producerId, onClose } = props;
  const read = useOpened(props, ({ producer_ids }) => ({ producer_ids: producer_ids.join("\n") }));
  const patch = usePatch(props);
  const title = `Producers of ${brand.name}`;
  return (
    <OpenedDialog title={title} read={read} onClose={onClose}>
      {(opened) => (
        <FormDialog
          title={title}
          fields={[
            { name: "producer_ids", label: "Ids of the producers", kind: "long", hint: "One a line, at least one." },
          ]}
          opened={opened}
          submit="Save the producers"
          explain={({ producer_ids }) => <p>{linkText(idsOf(producer_ids), brand, producerId)}</p>}
          check={({ producer_ids }) => {
            const ids = idsOf(producer_ids);
            return { producer_ids: ids.length === 0 ? "A brand has at least one producer." : idsError(ids) };
          }}
          done="The producers were saved."
          send={async (_, headers, values) => patch({ producer_ids: idsOf(values.producer_ids) }, headers["If-Match"])}
          reread={read}
          onClose={onClose}
        />
      )}
    </OpenedDialog>
  );
}

function linkText(ids: readonly string[], { producer_ids }: Brand, producerId: string): string {
  if (!ids.includes(producerId))
    return "The brand is removed from the producer whose list you see, so it leaves this list.";
  const added = ids.filter((id) => !producer_ids.includes(id)).length;
  const removed = producer_ids.filter((id) => !ids.includes(id)).length;
  const changes = [
    added > 0 && `added to ${countOf(added, "producer")}`,
    removed > 0 && `removed from ${countOf(removed, "producer")}`,
  ];
  const text = changes.filter(Boolean).join(" and ");
  return text === "" ? "Nothing changes yet." : `The brand is ${text}.`;
}

export function DeleteBrand(props: Props) {
  const odis = useOdis();
  const { brand, producerId, onClose, onDone } = props;
  const read = useOpened(props, () => ({}));
  const title = `Delete ${brand.name}`;
  const { length } = brand.producer_ids;
  return (
    <OpenedDialog title={title} read={read} onClose={onClose}>
      {(opened) => (
        <FormDialog
          title={title}
          fields={[]}
          opened={opened}
          submit="Delete the brand"
          tone="danger"
          explain={() => (
            <p>
              This cannot be undone.
              {length > 1 &&
                ` It disappears from all ${countOf(length, "producer")}. To remove it from one, edit its producers.`}
            </p>
          )}
          done={`${brand.name} was deleted.`}
          send={async (_, { "If-Match": etag }) => {
            await odis.delete("/odis/v1/producers/{producer_id}/brands/{id}", {
              params: {
                path: { producer_id: producerId, id: brand.id },
                header: etag === undefined ? {} : { "If-Match": etag },
              },
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
