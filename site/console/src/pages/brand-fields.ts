import type { Brand, BrandUpdate } from "../data/odis.ts";
import { ignoreMissing } from "../data/problem-text.ts";
import { openedBy, versionOf } from "../data/use-records.ts";
import { ifMatch, type WriteHeaders } from "../data/use-write.ts";
import type { Field, Value } from "../parts/field.tsx";
import type { Values } from "../parts/values.ts";
import { useOdis } from "../session.tsx";

export type BrandsProps = {
  readonly producerId: string;
  readonly recent: readonly string[];
  readonly onClose: () => void;
};
export type BrandProps = BrandsProps & { readonly brand: Brand };

export const nameField: Field = { name: "name", label: "Name" };

export const isProducerId = (text: string): boolean =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text.trim().toLowerCase());

/** Ids of producers that a person entered, one a line. */
export const idsOf = (value: Value | undefined): string[] => [
  ...new Set(
    String(value)
      .split(/[\s,]+/)
      .map((id) => id.toLowerCase())
      .filter((id) => id !== ""),
  ),
];

export const idsError = (ids: readonly string[]): string | undefined => {
  const wrong = ids.find((id) => !isProducerId(id));
  return wrong === undefined ? undefined : `“${wrong}” is not a producer id.`;
};

const path = "/odis/v1/producers/{producer_id}/brands/{id}" as const;
const pathOf = ({ producerId, brand }: BrandProps) => ({ producer_id: producerId, id: brand.id });

/** Reads a brand for a form. */
export function useRead(props: BrandProps, toValues?: (brand: Brand) => Values) {
  const odis = useOdis();
  const read = async () => versionOf(await odis.request("get", path, { params: { path: pathOf(props) } }));
  return openedBy(read, toValues);
}

/** Changes a brand. */
export function usePatch(props: BrandProps) {
  const odis = useOdis();
  return async (brand: BrandUpdate["brand"], headers: WriteHeaders): Promise<void> => {
    await odis.patch(path, { params: { path: pathOf(props), header: ifMatch(headers) }, body: { brand } });
  };
}

/** Finds a brand by the first of the producers that has it. */
export function useFind({ brand }: BrandProps) {
  const odis = useOdis();
  return async (producerIds: readonly string[]): Promise<Brand | undefined> => {
    for (const producerId of producerIds)
      try {
        return await odis.get(path, { params: { path: { producer_id: producerId, id: brand.id } } });
      } catch (error) {
        ignoreMissing(error);
      }
    return undefined;
  };
}

/** Deletes a brand of these producers, also one that an earlier attempt whose response was lost has deleted. */
export function useDelete(props: BrandProps) {
  const odis = useOdis();
  const find = useFind(props);
  return async (headers: WriteHeaders, producerIds: readonly string[]): Promise<void> => {
    const params = { path: pathOf(props), header: ifMatch(headers) };
    await odis.delete(path, { params }).catch(async (error: unknown) => {
      ignoreMissing(error);
      if (await find(producerIds.filter((id) => id !== props.producerId)))
        throw new Error("This brand was removed from this producer in the meantime. It still exists for others.");
    });
  };
}
