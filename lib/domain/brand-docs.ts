import type { brandFields } from "../fields/brand.ts";
import type { SetBy, ShownIn } from "../fields/field.ts";
import { describeFields, type FieldDoc } from "../values/documented.ts";
import { Brand, BrandCreate, BrandListQuery, BrandPage, BrandUpdate } from "./brand.ts";
import { pageDocs, pageQueryDocs } from "./page-docs.ts";
import { timeDocs } from "./record-docs.ts";

const exampleIds = ["0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0001"] as const;

/** What the documents say of the fields of a brand. */
export const brandDocs = {
  id: ["Unique identifier of the brand.", "0197a5b2-6f3e-7c41-9a55-1d2b3c4d5e6f"],
  name: ["Name of the brand.", "Casa Ruiz"],
  producer_ids: ["Identifiers of the producers that the brand is linked to: 1 to 40, sorted.", exampleIds],
  ...timeDocs,
} as const satisfies Record<ShownIn<typeof brandFields, "api">, FieldDoc>;

/** The same for a POST. */
export const brandCreateDocs = {
  ...brandDocs,
  producer_ids: ["Identifiers of producers to link the brand to, in addition to the one in the path.", exampleIds],
} as const satisfies Record<SetBy<typeof brandFields, "post">, FieldDoc>;

/** The same for a PATCH. */
export const brandUpdateDocs = {
  ...brandDocs,
  producer_ids: [
    "Identifiers of all producers to link the brand to. Replaces the list. The producer in the path is unlinked if it is not in the list.",
    exampleIds,
  ],
} as const satisfies Record<SetBy<typeof brandFields, "patch">, FieldDoc>;

describeFields(Brand, brandDocs);

describeFields(BrandListQuery, {
  ...pageQueryDocs,
  query: ["Any part of the name. Case and accents are ignored.", "ruiz"],
});

describeFields(BrandPage, pageDocs);
describeFields(BrandCreate, { brand: "The new brand." });
describeFields(BrandCreate.entries.brand, brandCreateDocs);
describeFields(BrandUpdate, { brand: "The fields to change. Omitted fields are left unchanged." });
describeFields(BrandUpdate.entries.brand, brandUpdateDocs);
